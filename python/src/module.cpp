// stoker._core: the public headers of the library, one to one. What people use is the package around it.
#include "bindings.hpp"

NB_MODULE(_core, module) {
  using namespace stoker::python;
  nb::set_leak_warnings(false);  // batches that a program still holds at its end are no leak
  bind_errors(module);
  bind_array(module);
  bind_images(module);
  bind_recipe(module);
  bind_records(module);
  bind_loader(module);
  bind_packing(module);
}

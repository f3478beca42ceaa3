// stoker::Error ↔ the exceptions of stoker.errors.
#include <exception>

#include "bindings.hpp"

namespace stoker::python {
namespace {

// stoker.errors has the table of codes and classes.
nb::object exception_of(const Error& error) {
  const ErrorParts& parts = error.parts();
  return nb::module_::import_("stoker.errors")
      .attr("of_code")(text(to_string(error.code())), text(error.what()), text(parts.operation),
                       text(parts.object), text(parts.found), text(parts.allowed), text(parts.next_step));
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object exception = exception_of(error);
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
  }
}

}  // namespace

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace stoker::python

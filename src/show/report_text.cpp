namespace stoker::show {}

# What tests execute.


class Executed:
    """Lines of product code that each test executes, by a trace function; lines of a module's own statements count for
    every test that executes something in its file."""

    def __init__(self, request, places):
        self.on, self.places = request.lines, places
        self.sources = [os.path.realpath(os.path.join(places.root, source)) + "/" for source in request.sources]
        tests = set(request.files.values()) - request.products
        self.tests = {os.path.realpath(os.path.join(places.root, path)) for path in tests}
        self.files, self.loading, self.current = {}, {}, {}
        self.current = self.loading

    def begin(self):
        if self.on:
            sys.settrace(self.entered)
            threading.settrace(self.entered)

    def test(self):
        self.current = {}
        self.begin()

    def tell(self, records, name):
        if not self.on or not name[1]:
            return
        told = []
        for file, lines in list(self.current.items()):
            told.append(" ".join([file, *map(str, sorted(lines | self.loading.get(file, set())))]))
        records.lines(name, told)
        self.current = {}

    def file(self, path):
        real = os.path.realpath(os.path.join(self.places.root, path))
        product = real not in self.tests and any((real + "/").startswith(source) for source in self.sources)
        return self.places.relative(path) if product else None

    def entered(self, frame, event, _):
        path = frame.f_code.co_filename
        if path not in self.files:
            self.files[path] = self.file(path)
        file = self.files[path]
        if file is None:
            return None

        def line(frame, event, _):
            if event == "line" and frame.f_lineno:
                self.current.setdefault(file, set()).add(frame.f_lineno)
            return line

        return line

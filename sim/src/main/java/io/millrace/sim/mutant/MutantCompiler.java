package io.millrace.sim.mutant;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles mutated classes against the classes of the build. */
public final class MutantCompiler {
  private final Path root;
  private final String classPath;
  private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

  /**
   * @param root the directory of the whole build
   * @param classPath of the original classes
   */
  public MutantCompiler(Path root, String classPath) {
    if (compiler == null) {
      throw new IllegalStateException(
          "Mutants need a compiler, and this Java has none. Run them with a JDK.");
    }
    this.root = root;
    this.classPath = classPath;
  }

  /**
   * Writes the classes of mutants into a directory, which is put first on the class path of a
   * process with these bugs. Several mutants must be of different classes.
   */
  public void compile(List<Mutant> mutants, Path into) throws IOException {
    Files.createDirectories(into);
    List<JavaFileObject> sources = new ArrayList<>();
    for (Mutant mutant : mutants) {
      sources.add(new Source(mutant.source(root).toUri(), mutant.mutated(root)));
    }
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of("-d", into.toString(), "-cp", classPath, "-proc:none", "-nowarn", "-implicit:none");
    if (!compiler.getTask(messages, null, null, options, null, sources).call()) {
      throw new Mutant.Outdated(
          "Of "
              + mutants.stream().map(Mutant::name).toList()
              + " one does not compile:\n"
              + messages);
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String content;

    Source(URI name, String content) {
      super(name, Kind.SOURCE);
      this.content = content;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return content;
    }
  }
}

package io.millrace.examples;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * The examples in the Javadoc of several types, compiled together. An example is the body of a
 * method, or has members of a class if a line of it starts with an annotation. Around it are what
 * {@code package-info} of {@code io.millrace.api} promises: an environment {@code env} and the
 * streams {@code orders} and {@code payments}.
 */
final class JavadocExamples {
  /** Beside the packages of the caller. */
  private static final List<String> IMPORTS =
      List.of(
          "static org.junit.jupiter.api.Assertions.*",
          "com.fasterxml.jackson.databind.*",
          "com.google.protobuf.DynamicMessage",
          "io.millrace.core.*",
          "io.millrace.core.config.*",
          "io.millrace.core.error.*",
          "io.millrace.core.fs.*",
          "io.millrace.core.id.*",
          "java.io.*",
          "java.nio.charset.StandardCharsets",
          "java.nio.file.Files",
          "java.nio.file.Path",
          "java.nio.file.StandardOpenOption",
          "java.sql.*",
          "java.time.*",
          "java.util.*",
          "java.util.Date",
          "java.util.concurrent.*",
          "org.apache.avro.Schema",
          "org.apache.avro.generic.*",
          "org.apache.kafka.clients.consumer.ConsumerRecord",
          "org.apache.kafka.clients.producer.ProducerRecord",
          "org.apache.kafka.common.TopicPartition",
          "org.junit.jupiter.api.Test",
          "org.junit.jupiter.api.extension.*",
          "org.postgresql.xa.PGXADataSource");

  /** What examples may use without declaring it. */
  private static final String SURROUNDINGS =
      """
      abstract class Surroundings {
        record Order(String customer, long time, long cents) implements Serializable {}
        record Payment(String customer, long time, long cents) implements Serializable {}

        /** As a class that Protobuf has generated. */
        abstract static class OrderMessage implements com.google.protobuf.Message {}

        static StreamEnvironment env;
        static DataStream<Order> orders;
        static DataStream<Payment> payments;
        static Schema schema;
      }
      """;

  private static final Pattern MEMBERS = Pattern.compile("(?m)^@");

  /** The class of an example, with the type whose Javadoc has it. */
  private final Map<String, String> owners = new HashMap<>();

  private final List<JavaFileObject> sources = new ArrayList<>();
  private final String imports;

  /**
   * @param packages that examples import, all of them
   */
  JavadocExamples(Iterable<String> packages) {
    StringBuilder lines = new StringBuilder();
    packages.forEach(name -> lines.append("import ").append(name).append(".*;\n"));
    IMPORTS.forEach(name -> lines.append("import ").append(name).append(";\n"));
    imports = lines.toString();
    sources.add(new Source("Surroundings", imports + SURROUNDINGS));
  }

  /**
   * @param owner the full name of the type that has the example
   */
  void add(String owner, String example) {
    String name = "Example" + sources.size();
    owners.put(name, owner);
    String members =
        MEMBERS.matcher(example).find()
            ? example
            : "void example() throws Exception {\n" + example + "\n}\n";
    sources.add(
        new Source(name, imports + "class " + name + " extends Surroundings {\n" + members + "}"));
  }

  /**
   * What the compiler says.
   *
   * @param problems errors and warnings, with the type that has the example
   * @param used the full names of the types that the examples of each type use: by name, as the
   *     type of an expression or lambda, or as a type above one of these
   */
  record Compiled(List<String> problems, Map<String, Set<String>> used) {}

  Compiled compile(String classPath) {
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(
                    null,
                    null,
                    found,
                    List.of("-proc:none", "-Xlint:unchecked,rawtypes,removal", "-cp", classPath),
                    null,
                    sources);
    Map<String, Set<String>> used = new HashMap<>();
    try {
      List<CompilationUnitTree> units = new ArrayList<>();
      task.parse().forEach(units::add);
      task.analyze();
      UsedTypes types = new UsedTypes(task);
      for (CompilationUnitTree unit : units) {
        for (Tree declared : unit.getTypeDecls()) {
          String owner = owners.get(((ClassTree) declared).getSimpleName().toString());
          if (owner != null) {
            types.into = used.computeIfAbsent(owner, any -> new HashSet<>());
            types.scan(new TreePath(new TreePath(unit), declared), null);
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> problems =
        found.getDiagnostics().stream()
            .filter(one -> one.getKind() != Diagnostic.Kind.NOTE)
            .map(this::rendered)
            .collect(Collectors.toList());
    return new Compiled(problems, used);
  }

  private String rendered(Diagnostic<? extends JavaFileObject> problem) {
    if (problem.getSource() == null) {
      return problem.getMessage(Locale.ROOT);
    }
    Source source = (Source) problem.getSource();
    String line =
        source.text.lines().skip(problem.getLineNumber() - 1).findFirst().orElse("").strip();
    return owners.getOrDefault(source.name, source.name)
        + ": "
        + line
        + ": "
        + problem.getMessage(Locale.ROOT);
  }

  /** Finds the types of all trees. */
  private static final class UsedTypes extends TreePathScanner<Void, Void> {
    private final JavacTask task;
    private final Trees trees;
    private Set<String> into = new HashSet<>();

    UsedTypes(JavacTask task) {
      this.task = task;
      trees = Trees.instance(task);
    }

    @Override
    public Void scan(Tree tree, Void unused) {
      if (tree != null && getCurrentPath() != null) {
        TreePath path = new TreePath(getCurrentPath(), tree);
        TypeMirror type = trees.getTypeMirror(path);
        if (type != null) {
          add(type);
        }
        Element element = trees.getElement(path);
        if (element != null && element.getEnclosingElement() instanceof TypeElement owner) {
          add(owner.asType());
        }
      }
      return super.scan(tree, null);
    }

    private void add(TypeMirror type) {
      if (type.getKind() == TypeKind.DECLARED
          && ((DeclaredType) type).asElement() instanceof TypeElement element) {
        boolean isNew = into.add(element.getQualifiedName().toString());
        ((DeclaredType) type).getTypeArguments().forEach(this::add);
        if (isNew) {
          task.getTypes().directSupertypes(type).forEach(this::add);
        }
      }
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String name;
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
      this.name = name;
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}

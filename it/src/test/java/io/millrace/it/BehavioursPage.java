package io.millrace.it;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Generates {@code docs/behaviours.md} from the {@code @Behaviour} annotations in the test sources
 * of all modules. It depends on the JDK only, so that {@link #REFRESH} works without a build.
 */
final class BehavioursPage {
  static final String REFRESH =
      "java it/src/test/java/io/millrace/it/BehavioursPage.java docs/behaviours.md";

  private static final Set<String> TEST_ANNOTATIONS =
      Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory");

  /** The chapters of the page and their sections in order; keys of sections are unique. */
  private static final Map<String, Map<String, String>> CHAPTERS = chapters();

  private BehavioursPage() {}

  /** Writes the page to the file named by the only argument; run it in the root directory. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      throw new IllegalArgumentException("Name the file to write: docs/behaviours.md");
    }
    Files.writeString(Path.of(arguments[0]), render(Path.of("")));
  }

  /** The page for the test sources of all modules in the directory. */
  static String render(Path root) throws IOException {
    Map<String, SortedMap<String, SortedSet<String>>> tests = new LinkedHashMap<>();
    for (String section : sections()) {
      tests.put(section, new TreeMap<>());
    }
    for (Citation citation : citations(root)) {
      SortedMap<String, SortedSet<String>> behaviours = tests.get(citation.section());
      if (behaviours == null) {
        throw new IllegalArgumentException(
            "%s names section '%s', which %s does not have."
                .formatted(
                    citation.test(), citation.section(), BehavioursPage.class.getSimpleName()));
      }
      behaviours
          .computeIfAbsent(citation.sentence(), sentence -> new TreeSet<>())
          .add(citation.test());
    }
    List<String> untested =
        tests.entrySet().stream()
            .filter(section -> section.getValue().isEmpty())
            .map(Map.Entry::getKey)
            .toList();
    if (!untested.isEmpty()) {
      throw new IllegalArgumentException("No test has a behaviour of the sections " + untested);
    }
    return page(tests);
  }

  /** The keys of all sections in order. */
  static List<String> sections() {
    return CHAPTERS.values().stream().flatMap(sections -> sections.keySet().stream()).toList();
  }

  private static String page(Map<String, SortedMap<String, SortedSet<String>>> tests) {
    StringBuilder page =
        new StringBuilder(
            """
            # Behaviours and their tests

            Each table lists the behaviours of one part of Millrace and the tests that fail when a behaviour no longer
            holds. A test is named by its module, class and method. Tests in `sim` run the whole control plane from a
            seed; classes in `it` whose names end in `IT` run real processes.

            This page is generated from the `@Behaviour` annotations of the test methods. After a change of an
            annotation or of a name, run `%s`.

            """
                .formatted(REFRESH));
    CHAPTERS.forEach(
        (chapter, sections) -> {
          page.append("- ").append(chapter).append(": ");
          page.append(
              sections.entrySet().stream()
                  .map(section -> title(section.getKey(), section.getValue()))
                  .map(title -> "[%s](#%s)".formatted(title, anchor(title)))
                  .collect(Collectors.joining(", ")));
          page.append('\n');
        });
    CHAPTERS.forEach(
        (chapter, sections) -> {
          page.append("\n## ").append(chapter).append('\n');
          sections.forEach(
              (key, name) -> {
                page.append("\n### ").append(title(key, name)).append("\n\n");
                page.append("| behaviour | tests |\n|---|---|\n");
                tests
                    .get(key)
                    .forEach(
                        (sentence, names) ->
                            page.append(
                                names.stream()
                                    .map(test -> "`" + test + "`")
                                    .collect(
                                        Collectors.joining(
                                            ", ", "| " + sentence(sentence) + " | ", " |\n"))));
              });
        });
    return page.toString();
  }

  private static String title(String key, String name) {
    return key.equals(name) ? name : key + " " + name;
  }

  /** The anchor of a heading in rendered Markdown. */
  private static String anchor(String title) {
    return title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 -]", "").replace(' ', '-');
  }

  private static String sentence(String text) {
    String escaped = text.replace("|", "\\|");
    return Character.toUpperCase(escaped.charAt(0)) + escaped.substring(1) + ".";
  }

  private static List<Citation> citations(Path root) throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> directories = Files.list(root.toAbsolutePath())) {
      for (Path module : directories.sorted().toList()) {
        Path tests = module.resolve("src/test/java");
        if (Files.isDirectory(tests)) {
          try (Stream<Path> files = Files.walk(tests)) {
            sources.addAll(
                files.filter(file -> file.toString().endsWith(".java")).sorted().toList());
          }
        }
      }
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<Citation> citations = new ArrayList<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources));
      for (CompilationUnitTree unit : task.parse()) {
        Path file = root.toAbsolutePath().relativize(Path.of(unit.getSourceFile().toUri()));
        new Annotations(file.getName(0).toString(), citations).scan(unit, null);
      }
    }
    return citations;
  }

  private static Map<String, Map<String, String>> chapters() {
    Map<String, Map<String, String>> chapters = new LinkedHashMap<>();
    chapters.put(
        "Client",
        sections(
            "A1 Launcher and configuration",
            "A2 Commands",
            "A3 Deployment target",
            "A4 Program jars",
            "A5 Execution environment",
            "A6 Graphs and execution",
            "A7 Discovery of targets",
            "A8 Deployment on YARN"));
    chapters.put(
        "Processes",
        sections(
            "B1 Start of a process",
            "B2 Order of services",
            "B3 Exit codes and outcome",
            "B4 Leader retrieval",
            "B5 Security and delegation tokens"));
    chapters.put(
        "Dispatcher",
        sections(
            "C1 Leadership and recovery",
            "C2 Submission and cancellation",
            "C3 Ended jobs",
            "C4 Per-job and application clusters"));
    chapters.put(
        "ResourceManager",
        sections(
            "D1 Terms",
            "D2 Registration of JobMasters",
            "D3 Registration of TaskManagers",
            "D4 Slot reports",
            "D5 Lost peers",
            "D6 Requirements and disconnection",
            "D7 SlotManager",
            "D8 Workers on demand",
            "D9 Drivers",
            "D10 Blocklist and cluster partitions",
            "D11 Reasons for waiting"));
    chapters.put(
        "JobMaster",
        sections(
            "E1 Leadership of a job",
            "E2 Registration and heartbeats",
            "E3 SlotPool",
            "E4 Scheduler",
            "E5 States"));
    chapters.put(
        "TaskManager",
        sections(
            "F1 Memory model",
            "F2 Registration",
            "F3 Slot requests",
            "F4 Slot offers",
            "F5 Tasks",
            "F6 Memory of slots"));
    chapters.put(
        "High availability", sections("G1 Election and fencing", "G2 Stored data", "G3 Recovery"));
    chapters.put(
        "Data plane",
        sections(
            "H1 Operators, event time and state",
            "H2 Exchange of records",
            "H3 State",
            "H4 Checkpoints and savepoints"));
    chapters.put(
        "Observation",
        sections(
            "I1 REST", "I2 Explanations and timelines", "I3 Metrics and history", "I4 Access"));
    chapters.put("Scale and simulation", sections("Scale", "Simulation"));
    return chapters;
  }

  private static Map<String, String> sections(String... titles) {
    Map<String, String> sections = new LinkedHashMap<>();
    for (String title : titles) {
      int space = title.indexOf(' ');
      if (space < 0) {
        sections.put(title, title);
      } else {
        sections.put(title.substring(0, space), title.substring(space + 1));
      }
    }
    return sections;
  }

  /** One annotation: section, sentence, and the test as module/Class#method. */
  private record Citation(String section, String sentence, String test) {}

  /** Collects the annotations of one source file. */
  private static final class Annotations extends TreeScanner<Void, Void> {
    private final String module;
    private final List<Citation> citations;
    private String enclosing = "";

    private Annotations(String module, List<Citation> citations) {
      this.module = module;
      this.citations = citations;
    }

    @Override
    public Void visitClass(ClassTree node, Void unused) {
      String outer = enclosing;
      if (outer.isEmpty()) {
        enclosing = node.getSimpleName().toString();
      }
      super.visitClass(node, null);
      enclosing = outer;
      return null;
    }

    @Override
    public Void visitMethod(MethodTree node, Void unused) {
      String test = module + "/" + enclosing + "#" + node.getName();
      List<? extends AnnotationTree> annotations = node.getModifiers().getAnnotations();
      for (AnnotationTree annotation : annotations) {
        if (name(annotation).equals("Behaviour")) {
          if (annotations.stream().noneMatch(other -> TEST_ANNOTATIONS.contains(name(other)))) {
            throw new IllegalArgumentException(test + " has a behaviour but is not a test.");
          }
          citations.add(citation(test, text(value(annotation))));
        }
      }
      return super.visitMethod(node, null);
    }

    private static Citation citation(String test, String text) {
      int colon = text.indexOf(": ");
      if (colon < 1 || colon + 2 == text.length() || text.endsWith(".")) {
        throw new IllegalArgumentException(
            "%s: a behaviour is 'section: sentence' without a full stop, not '%s'."
                .formatted(test, text));
      }
      return new Citation(text.substring(0, colon), text.substring(colon + 2), test);
    }

    private static String name(AnnotationTree annotation) {
      String name = annotation.getAnnotationType().toString();
      return name.substring(name.lastIndexOf('.') + 1);
    }

    private static ExpressionTree value(AnnotationTree annotation) {
      ExpressionTree argument = annotation.getArguments().get(0);
      return argument instanceof AssignmentTree named ? named.getExpression() : argument;
    }

    /** Strings may be concatenated with +. */
    private static String text(ExpressionTree expression) {
      if (expression instanceof LiteralTree literal) {
        return literal.getValue().toString();
      } else if (expression instanceof BinaryTree sum && sum.getKind() == Tree.Kind.PLUS) {
        return text(sum.getLeftOperand()) + text(sum.getRightOperand());
      } else if (expression instanceof ParenthesizedTree inner) {
        return text(inner.getExpression());
      }
      throw new IllegalArgumentException("A behaviour is a string literal, not " + expression);
    }
  }
}

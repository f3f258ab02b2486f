package io.millrace.it;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Checks module dependencies, and that clocks, threads and randomness come from Env. */
class ArchitectureTest {
  /** Module → allowed dependencies, as in the table of docs/architecture.md. */
  private static final Map<String, List<String>> ARROWS =
      Map.ofEntries(
          Map.entry("core", List.of()),
          Map.entry("api", List.of("core")),
          Map.entry("graph", List.of("core", "api")),
          Map.entry("task-api", List.of("core", "api", "graph")),
          Map.entry("rpc", List.of("core")),
          Map.entry("rpc-grpc", List.of("core", "rpc")),
          Map.entry("protocol", List.of("core", "api", "graph", "task-api", "rpc")),
          Map.entry("control", List.of("core", "api", "graph", "task-api", "rpc", "protocol")),
          Map.entry("worker", List.of("core", "api", "graph", "task-api", "rpc", "protocol")),
          Map.entry("dataplane", List.of("core", "api", "graph", "task-api")),
          Map.entry("rest", List.of("core", "api", "graph", "task-api", "rpc", "protocol")),
          Map.entry("client", List.of("core", "api", "graph", "task-api", "rpc", "protocol")),
          Map.entry("fs-hadoop", List.of("core")),
          Map.entry("metrics", List.of("core")),
          Map.entry("state-rocksdb", List.of("core", "task-api")),
          Map.entry("ha-zookeeper", List.of("core", "rpc", "control")),
          Map.entry(
              "sim",
              List.of(
                  "core",
                  "api",
                  "graph",
                  "task-api",
                  "rpc",
                  "protocol",
                  "control",
                  "worker",
                  "ha-zookeeper")),
          Map.entry(
              "cluster",
              List.of(
                  "core",
                  "api",
                  "graph",
                  "task-api",
                  "rpc",
                  "protocol",
                  "control",
                  "worker",
                  "dataplane",
                  "rpc-grpc",
                  "rest",
                  "client")),
          Map.entry(
              "test",
              List.of(
                  "core",
                  "api",
                  "graph",
                  "task-api",
                  "protocol",
                  "dataplane",
                  "client",
                  "cluster")),
          Map.entry(
              "cli", List.of("core", "api", "graph", "protocol", "control", "client", "cluster")),
          Map.entry(
              "yarn",
              List.of(
                  "core",
                  "api",
                  "graph",
                  "rpc",
                  "rpc-grpc",
                  "protocol",
                  "control",
                  "client",
                  "cluster",
                  "fs-hadoop")),
          Map.entry("format-jackson", List.of("core", "api")),
          Map.entry("connector-files", List.of("core", "api")),
          Map.entry("format-registry", List.of("core", "api")),
          Map.entry("format-avro", List.of("core", "api", "connector-files", "format-registry")),
          Map.entry("format-parquet", List.of("core", "api", "connector-files", "format-avro")),
          Map.entry("format-protobuf", List.of("core", "api", "format-registry")),
          Map.entry("connector-kafka", List.of("core", "api")),
          Map.entry("examples-kafka", List.of("core", "api", "format-jackson", "connector-kafka")),
          Map.entry("soak", List.of("core", "api")),
          Map.entry("connector-jdbc", List.of("core", "api")),
          Map.entry("examples", List.of("core", "api", "connector-jdbc", "connector-files")));

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPaths(modulePaths());

  @TestFactory
  Stream<DynamicTest> modulesUseOnlyAllowedModules() {
    return ARROWS.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(
            arrow ->
                DynamicTest.dynamicTest(
                    arrow.getKey(),
                    () ->
                        noClasses()
                            .that(inModule(arrow.getKey()))
                            .should()
                            .dependOnClassesThat(inOtherModules(arrow.getKey(), arrow.getValue()))
                            .check(CLASSES)));
  }

  /** Packages of {@code core} with the values that all modules use. */
  private static final String[] VALUES = {
    "io.millrace.core",
    "io.millrace.core.id..",
    "io.millrace.core.config..",
    "io.millrace.core.memory..",
    "io.millrace.core.error..",
    "io.millrace.core.codec.."
  };

  @Test
  void valuesOfCoreDoNotUseItsPlatformPackages() {
    noClasses()
        .that(resideInAnyPackage(VALUES))
        .should()
        .dependOnClassesThat(
            resideInAPackage("io.millrace.core..").and(not(resideInAnyPackage(VALUES))))
        .check(CLASSES);
  }

  @Test
  void everyCheckedModuleHasClasses() {
    assertThat(ARROWS.keySet())
        .allSatisfy(module -> assertThat(CLASSES.stream().filter(inModule(module))).isNotEmpty());
  }

  @TestFactory
  Stream<DynamicTest> packagesOfAModuleFormNoCycle() {
    return ARROWS.keySet().stream()
        .sorted()
        .map(
            module ->
                DynamicTest.dynamicTest(
                    module,
                    () ->
                        SlicesRuleDefinition.slices()
                            .matching("io.millrace.(**)")
                            .should()
                            .beFreeOfCycles()
                            .check(CLASSES.that(inModule(module)))));
  }

  @Test
  void controlPlaneTakesClocksThreadsAndRandomnessFromEnvOnly() {
    DescribedPredicate<JavaClass> deterministic =
        inModule("control")
            .or(inModule("protocol"))
            .or(inModule("worker"))
            .or(inModule("rpc").and(not(resideInAPackage("io.millrace.rpc.live.."))));
    noClasses()
        .that(deterministic)
        .should()
        .callMethodWhere(
            target(nameMatching("currentTimeMillis|nanoTime|identityHashCode"))
                .and(target(owner(name("java.lang.System")))))
        .orShould()
        .callMethodWhere(target(name("now")).and(target(owner(nameMatching("java\\.time\\..*")))))
        .orShould()
        .callMethodWhere(target(name("randomUUID")))
        .orShould()
        .callMethodWhere(target(name("random")).and(target(owner(name("java.lang.Math")))))
        .orShould()
        .callMethodWhere(
            target(nameMatching("of|copyOf|ofEntries|entry"))
                .and(target(owner(nameMatching("java\\.util\\.(Set|Map)")))))
        .orShould()
        .callMethodWhere(target(nameMatching("toUnmodifiable(Set|Map)|parallelStream|parallel")))
        .orShould()
        .callMethodWhere(
            target(nameMatching("orTimeout|completeOnTimeout|delayedExecutor"))
                .and(target(owner(name("java.util.concurrent.CompletableFuture")))))
        .orShould()
        .callMethodWhere(
            new DescribedPredicate<>("an *Async method without an executor") {
              @Override
              public boolean test(com.tngtech.archunit.core.domain.JavaMethodCall call) {
                return call.getTargetOwner()
                        .isAssignableTo(java.util.concurrent.CompletableFuture.class)
                    && call.getName().endsWith("Async")
                    && call.getTarget().getRawParameterTypes().stream()
                        .noneMatch(
                            type -> type.isAssignableTo(java.util.concurrent.Executor.class));
              }
            })
        .orShould()
        .dependOnClassesThat(
            new DescribedPredicate<>("threads, executors, random generators or weak maps") {
              @Override
              public boolean test(JavaClass type) {
                return type.isAssignableTo(Thread.class)
                    || type.isAssignableTo(java.util.concurrent.ExecutorService.class)
                    || type.isAssignableTo(java.util.concurrent.Executors.class)
                    || type.isAssignableTo(java.util.Random.class)
                    || type.isAssignableTo(java.util.SplittableRandom.class)
                    || type.isAssignableTo(java.util.WeakHashMap.class)
                    || type.isAssignableTo(java.lang.ref.Cleaner.class)
                    || type.isAssignableTo(java.util.Timer.class);
              }
            })
        .check(CLASSES);
  }

  @Test
  void controlHasNoLocks() throws IOException {
    noClasses()
        .that(inModule("control"))
        .should()
        .dependOnClassesThat(resideInAPackage("java.util.concurrent.locks.."))
        .check(CLASSES);
    // Class files mark synchronized methods, but not synchronized blocks.
    try (Stream<Path> files = Files.walk(Path.of("../control/src/main/java"))) {
      for (Path file : files.filter(name -> name.toString().endsWith(".java")).toList()) {
        assertThat(Files.readString(file))
            .as("%s", file)
            .doesNotContainPattern("synchronized *\\(");
      }
    }
    classes()
        .that(inModule("control"))
        .should(
            new com.tngtech.archunit.lang.ArchCondition<>("have no synchronized methods") {
              @Override
              public void check(JavaClass type, com.tngtech.archunit.lang.ConditionEvents events) {
                type.getMethods().stream()
                    .filter(method -> method.getModifiers().contains(JavaModifier.SYNCHRONIZED))
                    .forEach(
                        method ->
                            events.add(
                                com.tngtech.archunit.lang.SimpleConditionEvent.violated(
                                    method, method.getDescription() + " is synchronized")));
              }
            })
        .check(CLASSES);
  }

  @Test
  void packagesOfTheCommandLineHaveNoCycles() {
    slices().matching("io.millrace.cli.(*)..").should().beFreeOfCycles().check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("io.millrace.cli.(*)..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.millrace.cli")
        .because("only the entry point knows all commands")
        .check(CLASSES);
  }

  /** A plug is found by the service loader; the modules that it plugs into do not know its name. */
  @Test
  void noModuleNamesAPlugThatPlugsIntoIt() throws IOException {
    for (String module : List.of("core", "client", "cli", "cluster")) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main"))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          assertThat(Files.readString(file)).as("%s", file).doesNotContainIgnoringCase("yarn");
        }
      }
    }
    assertThat(Files.readString(Path.of("../millrace"))).doesNotContainIgnoringCase("yarn");
  }

  /** The driver of YARN runs on virtual time in its tests. */
  @Test
  void yarnDriverTakesClocksAndThreadsFromEnvAndDecidesWithoutHadoop() {
    DescribedPredicate<JavaClass> decisions =
        nameMatching(
                "io\\.millrace\\.yarn\\.master\\.(ContainerAllocator|ContainerRequests"
                    + "|PendingContainerReport|AllocatorEvent|AllocatorAction)(\\$.*)?")
            .forSubtype();
    noClasses()
        .that(decisions)
        .should()
        .dependOnClassesThat(resideInAPackage("org.apache.hadoop.."))
        .check(CLASSES);
    noClasses()
        .that(
            decisions.or(
                nameMatching(
                        "io\\.millrace\\.yarn\\.master\\.(ContainerAllocatorRunner|YarnDriver)(\\$.*)?")
                    .forSubtype()))
        .should()
        .callMethodWhere(
            target(nameMatching("currentTimeMillis|nanoTime"))
                .and(target(owner(name("java.lang.System")))))
        .orShould()
        .callMethodWhere(target(name("now")).and(target(owner(nameMatching("java\\.time\\..*")))))
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(Thread.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(java.util.concurrent.ExecutorService.class)
        .check(CLASSES);
  }

  @Test
  void everyPackageHasADescription() throws IOException {
    List<Path> silent = new ArrayList<>();
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      for (Path sources : modules.map(m -> m.resolve("src/main/java")).toList()) {
        if (Files.isDirectory(sources)) {
          try (Stream<Path> files = Files.walk(sources)) {
            files
                .filter(file -> file.toString().endsWith(".java"))
                .map(Path::getParent)
                .distinct()
                .filter(directory -> !Files.exists(directory.resolve("package-info.java")))
                .forEach(silent::add);
          }
        }
      }
    }
    assertThat(silent).isEmpty();
  }

  /** Classes of a module, identified by their output directory, not by their package. */
  private static DescribedPredicate<JavaClass> inModule(String module) {
    return new DescribedPredicate<>("in module " + module) {
      @Override
      public boolean test(JavaClass type) {
        return moduleOf(type).equals(module);
      }
    };
  }

  private static DescribedPredicate<JavaClass> inOtherModules(String own, List<String> allowed) {
    return new DescribedPredicate<>("in a module other than " + allowed) {
      @Override
      public boolean test(JavaClass type) {
        String module = moduleOf(type);
        return !module.isEmpty() && !module.equals(own) && !allowed.contains(module);
      }
    };
  }

  private static String moduleOf(JavaClass type) {
    return type.getSource()
        .map(source -> source.getUri().toString())
        .filter(uri -> uri.contains("/io/millrace/"))
        .map(ArchitectureTest::moduleOf)
        .orElse("");
  }

  private static List<Path> modulePaths() {
    return ARROWS.keySet().stream()
        .map(module -> Path.of("..", module, "target", "classes"))
        .toList();
  }

  /** From {@code …/control/target/classes/…} or {@code …/millrace-control-0.1.jar!/…}. */
  private static String moduleOf(String uri) {
    String before = uri.substring(0, uri.indexOf("/target/") < 0 ? 0 : uri.indexOf("/target/"));
    return before.substring(before.lastIndexOf('/') + 1);
  }
}

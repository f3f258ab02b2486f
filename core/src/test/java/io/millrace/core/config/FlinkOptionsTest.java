package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.CoreOptions;
import org.junit.jupiter.api.Test;

class FlinkOptionsTest {
  /** Options that Flink declares without their prefix, such as the name of a metrics reporter. */
  private static final List<String> SUFFIXES =
      List.of(
          "<parameter>",
          "enabled",
          "factory.class",
          "filter.excludes",
          "filter.includes",
          "interval",
          "scope.delimiter",
          "scope.variables.additional",
          "scope.variables.excludes");

  @Test
  @Behaviour(
      "A1: a configuration file of Flink works unchanged, with one warning for keys without effect")
  void everyOptionOfFlinkIsDeclaredOrListedAsWithoutEffect() throws Exception {
    Set<String> flinks = optionsOfFlink();
    assertThat(flinks).hasSizeGreaterThan(400).contains("rest.port", "state.backend.type");
    ConfigurationCheck check = new ConfigurationCheck(DeclaredOptions.all(), Configuration.EMPTY);
    for (String key : flinks) {
      Configuration set =
          Configuration.EMPTY.with(
              key.replaceAll("<[a-z_]+>", "name").replace("name.name", "n"), "1");
      for (String unknown : check.unknown(set)) {
        assertThat(FlinkOptions.reason(unknown)).as(key).isPresent();
      }
    }
  }

  @Test
  void mistypedKeysAreNotReportedAsOptionsOfFlink() {
    ConfigurationCheck check = new ConfigurationCheck(DeclaredOptions.all(), Configuration.EMPTY);
    assertThat(check.warning("f", List.of("rest.server.max-content-lenght")))
        .isEqualTo(
            "f sets unknown options, which are ignored: rest.server.max-content-lenght (did you"
                + " mean rest.server.max-content-length?). Use the prefix user. for keys of your own.");
    assertThat(check.warning("f", List.of("rest.server.numThreads")))
        .isEqualTo(
            "f sets options of Flink that have no effect: rest.server.numThreads;"
                + " see docs/options.md.");
  }

  private static Set<String> optionsOfFlink() throws Exception {
    Set<String> keys = new TreeSet<>();
    Path jar =
        Path.of(CoreOptions.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    for (String name : optionClasses(jar)) {
      try {
        for (Field field : Class.forName(name).getDeclaredFields()) {
          if (Modifier.isStatic(field.getModifiers()) && field.getType() == ConfigOption.class) {
            field.setAccessible(true);
            keys.add(((ConfigOption<?>) field.get(null)).key());
          }
        }
      } catch (LinkageError e) {
        // Some classes need libraries that are not on the test class path.
        assertThat(name).containsAnyOf("RestartStrategy", "Cleanup");
      }
    }
    keys.removeAll(SUFFIXES);
    return keys;
  }

  private static List<String> optionClasses(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return Collections.list(file.entries()).stream()
          .map(JarEntry::getName)
          .filter(name -> name.matches("org/apache/flink/configuration/\\w+Options\\.class"))
          .map(name -> name.replace('/', '.').replace(".class", ""))
          .toList();
    }
  }
}

package io.millrace.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ConfigurationCheck;
import io.millrace.core.config.DeclaredOptions;
import io.millrace.core.config.OptionProvider;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.security.PrivateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The configuration of a process: {@code config.yaml}, overridden by the command line. Keys may be
 * nested or written with dots.
 */
public final class ConfigurationFile {
  /** The environment variable that names the directory of {@code config.yaml}. */
  public static final String DIRECTORY_VARIABLE = "MILLRACE_CONF_DIR";

  /** The system property that names the root of the distribution. */
  public static final String HOME_PROPERTY = "millrace.home";

  public static final String NAME = "config.yaml";

  private static final Pattern PLAIN_LINE =
      Pattern.compile(
          "(?<key>[a-zA-Z][a-zA-Z0-9.-]*):"
              + " (?:(?<number>[1-9][0-9]*[a-z]*)|'(?<quoted>(?:[^']|'')*)')");

  private static final String JAVA_OPTIONS = "env.java.opts.";

  private ConfigurationFile() {}

  /** The root of the distribution, if this process was started from one. */
  public static Optional<Path> home() {
    return Optional.ofNullable(System.getProperty(HOME_PROPERTY)).map(Path::of);
  }

  /**
   * Loads and checks the configuration of this process. Unknown keys of the file are left out,
   * because another engine may use the same file. On the command line they are refused.
   *
   * @param overrides the {@code key=value} pairs of {@code -D}
   * @param warnings receives one line about the keys of the file that are left out
   */
  public static Configuration load(
      ProcessEnvironment environment, List<String> overrides, Consumer<String> warnings) {
    Optional<Path> path = file(environment);
    Configuration file = path.map(ConfigurationFile::read).orElse(Configuration.EMPTY);
    Configuration given = overrides(overrides);
    Configuration whole = MemoryTotals.yielding(file, given).overriddenBy(given);
    ConfigurationCheck check = check(environment, whole);
    check.keys(given);
    check.values(whole);
    List<String> unknown = check.unknown(file);
    if (!unknown.isEmpty()) {
      warnings.accept(check.warning(path.orElseThrow().toString(), unknown));
    }
    return whole.without(unknown);
  }

  /**
   * A check against the options of the engine and, for keys that the engine does not know, of
   * plugins.
   */
  public static ConfigurationCheck check(ProcessEnvironment environment, Configuration whole) {
    return new ConfigurationCheck(
        DeclaredOptions.builtIn(),
        () -> PluginServices.all(OptionProvider.class, PluginServices.plugins(environment, whole)),
        whole);
  }

  private static Optional<Path> file(ProcessEnvironment environment) {
    String directory = environment.variables().getOrDefault(DIRECTORY_VARIABLE, "");
    if (directory.isEmpty()) {
      return environment
          .home()
          .map(root -> root.resolve("conf").resolve(NAME))
          .filter(Files::exists);
    }
    Path named = Path.of(directory).resolve(NAME);
    if (!Files.exists(named)) {
      throw new MillraceException(
          ErrorKind.USER,
          DIRECTORY_VARIABLE
              + " names "
              + directory
              + ", but there is no "
              + NAME
              + " in it. Name the directory that contains the file, or unset the variable.");
    }
    return Optional.of(named);
  }

  private static Configuration overrides(List<String> pairs) {
    Map<String, String> entries = new LinkedHashMap<>();
    for (String pair : pairs) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new MillraceException(
            ErrorKind.USER, "-D requires key=value, not '" + pair + "'. Put an = after the key.");
      }
      entries.put(pair.substring(0, equals).trim(), pair.substring(equals + 1).trim());
    }
    return new Configuration(entries);
  }

  static Configuration read(Path file) {
    try {
      String text = Files.readString(file);
      Map<String, String> entries = new LinkedHashMap<>();
      if (isPlain(text, entries)) {
        return new Configuration(entries);
      }
      entries.clear();
      JsonNode root = new YAMLMapper().readTree(text);
      if (!root.isObject()) {
        throw new MillraceException(
            ErrorKind.USER,
            file
                + " is not a map of options. Write one option per line, such as `rest.port:"
                + " 8081`.");
      }
      flatten("", root, entries);
      return new Configuration(entries);
    } catch (JsonProcessingException e) {
      throw new MillraceException(
          ErrorKind.USER,
          file
              + " is not valid YAML: "
              + e.getOriginalMessage().lines().findFirst().orElse("")
              + (e.getLocation() == null ? "" : " (line " + e.getLocation().getLineNr() + ")")
              + ".",
          e);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER, file + " cannot be read: " + e + ". Check its permissions.", e);
    }
  }

  /**
   * Reads a file of the form that the distribution and {@link #write} have: comments, and lines
   * with a dotted key and a number, a size or a quoted text. Commands start faster without the YAML
   * parser.
   */
  private static boolean isPlain(String text, Map<String, String> entries) {
    return text.lines()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .allMatch(
            line -> {
              Matcher match = PLAIN_LINE.matcher(line);
              if (!match.matches()) {
                return false;
              }
              String quoted = match.group("quoted");
              entries.put(
                  match.group("key"),
                  quoted == null ? match.group("number") : quoted.replace("''", "'"));
              return true;
            });
  }

  private static void flatten(String prefix, JsonNode node, Map<String, String> entries) {
    if (node.isObject()) {
      node.properties()
          .forEach(
              field ->
                  flatten(
                      prefix.isEmpty() ? field.getKey() : prefix + "." + field.getKey(),
                      field.getValue(),
                      entries));
    } else if (node.isArray()) {
      List<String> elements = new ArrayList<>();
      node.forEach(element -> elements.add(element.asText()));
      // JVM options are separated by blanks, the elements of all other lists by semicolons.
      entries.put(prefix, String.join(prefix.startsWith(JAVA_OPTIONS) ? " " : ";", elements));
    } else {
      entries.put(prefix, node.isNull() ? "" : node.asText());
    }
  }

  /**
   * Writes a configuration that {@link #load} reads from this directory. The file may contain
   * passwords, so only the owner may read it.
   */
  public static void write(Configuration configuration, Path directory) throws IOException {
    Path draft = directory.resolve(NAME + ".new");
    Files.deleteIfExists(draft);
    PrivateFile.create(draft, text(configuration));
    Files.move(draft, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
  }

  /** The content of such a file. */
  public static String text(Configuration configuration) {
    StringBuilder text = new StringBuilder();
    configuration
        .entries()
        .forEach(
            (key, value) ->
                // Quotes make each value a text for the YAML parser.
                text.append(key).append(": '").append(value.replace("'", "''")).append("'\n"));
    return text.toString();
  }
}

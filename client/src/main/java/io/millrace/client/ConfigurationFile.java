package io.millrace.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The configuration of a process: {@code config.yaml}, then what the command line overrides. Keys
 * may be nested or written with dots.
 */
public final class ConfigurationFile {
  /** The environment variable that names the directory of {@code config.yaml}. */
  public static final String DIRECTORY_VARIABLE = "MILLRACE_CONF_DIR";

  /** The system property that names the root of the distribution. */
  public static final String HOME_PROPERTY = "millrace.home";

  static final String NAME = "config.yaml";

  private ConfigurationFile() {}

  /** Where the distribution is, if this process was started from one. */
  public static Optional<Path> home() {
    return Optional.ofNullable(System.getProperty(HOME_PROPERTY)).map(Path::of);
  }

  /**
   * The checked configuration of this process.
   *
   * @param overrides what {@code -D} gave: {@code key=value}
   */
  public static Configuration load(
      Map<String, String> environment, Optional<Path> home, List<String> overrides) {
    Configuration configuration =
        file(environment, home).map(ConfigurationFile::read).orElse(Configuration.EMPTY);
    Configuration overridden = configuration.overriddenBy(overrides(overrides));
    overridden.check(Options.all());
    return overridden;
  }

  private static Optional<Path> file(Map<String, String> environment, Optional<Path> home) {
    String directory = environment.getOrDefault(DIRECTORY_VARIABLE, "");
    if (directory.isEmpty()) {
      return home.map(root -> root.resolve("conf").resolve(NAME)).filter(Files::exists);
    }
    Path named = Path.of(directory).resolve(NAME);
    if (!Files.exists(named)) {
      throw new MillraceException(
          ErrorKind.USER,
          DIRECTORY_VARIABLE + " names " + directory + ", but there is no " + NAME + " in it.");
    }
    return Optional.of(named);
  }

  private static Configuration overrides(List<String> pairs) {
    Map<String, String> entries = new LinkedHashMap<>();
    for (String pair : pairs) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new MillraceException(
            ErrorKind.USER, "-D wants key=value, not '" + pair + "'. Put an = after the key.");
      }
      entries.put(pair.substring(0, equals).trim(), pair.substring(equals + 1).trim());
    }
    return new Configuration(entries);
  }

  static Configuration read(Path file) {
    try {
      String text = Files.readString(file);
      if (text.lines().allMatch(line -> line.isBlank() || line.stripLeading().startsWith("#"))) {
        // As shipped. Not starting the parser spares every command a noticeable part of its time.
        return Configuration.EMPTY;
      }
      Map<String, String> entries = new LinkedHashMap<>();
      JsonNode root = new YAMLMapper().readTree(text);
      if (!root.isObject()) {
        throw new MillraceException(
            ErrorKind.USER, file + " wants lines such as `rest.port: 8081`, one option a line.");
      }
      flatten("", root, entries);
      return new Configuration(entries);
    } catch (JsonProcessingException e) {
      throw new MillraceException(
          ErrorKind.USER,
          file
              + " is not YAML: "
              + e.getOriginalMessage().lines().findFirst().orElse("")
              + (e.getLocation() == null ? "" : " (line " + e.getLocation().getLineNr() + ")")
              + ".",
          e);
    } catch (IOException e) {
      throw new MillraceException(ErrorKind.USER, file + " cannot be read: " + e, e);
    }
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
      entries.put(prefix, String.join(";", elements));
    } else {
      entries.put(prefix, node.isNull() ? "" : node.asText());
    }
  }

  /** Writes a configuration so that {@link #load} reads the same from this directory. */
  public static void write(Configuration configuration, Path directory) throws IOException {
    StringBuilder text = new StringBuilder();
    configuration
        .entries()
        .forEach(
            (key, value) ->
                // Quotes keep a value text, whatever it looks like.
                text.append(key).append(": '").append(value.replace("'", "''")).append("'\n"));
    Files.writeString(directory.resolve(NAME), text);
  }
}

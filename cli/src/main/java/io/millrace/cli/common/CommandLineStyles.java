package io.millrace.cli.common;

import io.millrace.client.CommandLineStyle;
import io.millrace.client.PluginServices;
import io.millrace.client.SessionFiles;
import io.millrace.client.StyleArguments;
import io.millrace.client.StyleOption;
import io.millrace.client.StyleRequest;
import io.millrace.core.config.Configuration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The command-line styles of plugins, with their arguments on one command line. Loading plugins
 * takes time, so a command loads them only if necessary: for its help, for an unknown option or
 * value of {@code -m}, or if a file names a current session.
 */
public final class CommandLineStyles {
  private Optional<List<CommandLineStyle>> loaded = Optional.empty();
  private final Map<String, Map<String, List<String>>> values = new LinkedHashMap<>();

  public boolean areLoaded() {
    return loaded.isPresent();
  }

  /** Loads the styles on the first call; returns them in the order in which they are evaluated. */
  public List<CommandLineStyle> load(Console console) {
    if (loaded.isEmpty()) {
      List<CommandLineStyle> found =
          new ArrayList<>(
              PluginServices.all(
                  CommandLineStyle.class,
                  PluginServices.plugins(console.process(), Configuration.EMPTY)));
      found.sort(Comparator.comparing(CommandLineStyle::name));
      loaded = Optional.of(found);
      warnAboutUnknownSessions(console, found);
    }
    return loaded.get();
  }

  private static void warnAboutUnknownSessions(Console console, List<CommandLineStyle> found) {
    for (String name : SessionFiles.styles(console.environment())) {
      if (found.stream().noneMatch(style -> style.name().equals(name))) {
        console
            .err()
            .println(
                "The current session in "
                    + SessionFiles.directory(console.environment()).resolve(SessionFiles.name(name))
                    + " is ignored because no installed plugin has the command-line style '"
                    + name
                    + "'. Install the plugin, or remove the file.");
      }
    }
  }

  /** Adds the options and examples of the loaded styles to a command. */
  public void addTo(CommandSpec command, CommandLineStyle.Use use) {
    for (CommandLineStyle style : loaded.orElse(List.of())) {
      ArgGroupSpec.Builder group =
          ArgGroupSpec.builder().validate(false).heading("%n" + style.heading() + "%n");
      List<StyleOption> options = style.options(use);
      options.forEach(option -> group.addArg(spec(style, option)));
      if (!options.isEmpty()) {
        command.addArgGroup(group.build());
      }
      List<String> footer = new ArrayList<>(Arrays.asList(command.usageMessage().footer()));
      style.examples(use).forEach(example -> footer.add("  " + example));
      command.usageMessage().footer(footer.toArray(new String[0]));
    }
  }

  private OptionSpec spec(CommandLineStyle style, StyleOption option) {
    OptionSpec.Builder spec =
        OptionSpec.builder(option.names().toArray(new String[0])).description(option.description());
    if (option.isFlag()) {
      spec.arity("0").type(boolean.class);
    } else if (option.repeatable()) {
      spec.arity("1").paramLabel(option.label()).type(List.class).auxiliaryTypes(String.class);
    } else {
      spec.arity("1").paramLabel(option.label()).type(String.class);
    }
    ValueBinding binding = new ValueBinding(style.name(), option);
    return spec.getter(binding).setter(binding).build();
  }

  /** A class, not lambdas: a lambda of picocli's types would keep them out of the CDS archive. */
  private final class ValueBinding implements IGetter, ISetter {
    private final String style;
    private final StyleOption option;

    ValueBinding(String style, StyleOption option) {
      this.style = style;
      this.option = option;
    }

    private Map<String, List<String>> given() {
      return values.computeIfAbsent(style, name -> new LinkedHashMap<>());
    }

    /**
     * The values to which picocli adds the value of the next occurrence. The signature is
     * picocli's.
     */
    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public <T> T get() {
      List<String> before = given().get(option.names().get(0));
      return before == null || !option.repeatable() ? null : (T) new ArrayList<>(before);
    }

    @Override
    public <T> T set(T value) {
      T before = get();
      String name = option.names().get(0);
      if (value == null || value.equals(false)) {
        given().remove(name);
      } else if (value instanceof List<?> several) {
        given().put(name, several.stream().map(String::valueOf).toList());
      } else {
        given().put(name, List.of(String.valueOf(value)));
      }
      return before;
    }
  }

  /**
   * Separates option names from values in the same word. Arguments after a jar belong to the
   * program and are not changed.
   */
  public String[] separated(String... arguments) {
    List<String> attached =
        loaded.orElse(List.of()).stream()
            .flatMap(style -> Arrays.stream(CommandLineStyle.Use.values()).map(style::options))
            .flatMap(List::stream)
            .filter(StyleOption::attached)
            .flatMap(option -> option.names().stream())
            .distinct()
            .toList();
    List<String> separated = new ArrayList<>();
    boolean afterJar = false;
    for (String argument : arguments) {
      afterJar |= argument.endsWith(".jar");
      Optional<String> name =
          afterJar
              ? Optional.empty()
              : attached.stream()
                  .filter(one -> argument.startsWith(one) && argument.length() > one.length())
                  .findFirst();
      name.ifPresent(separated::add);
      separated.add(name.map(one -> argument.substring(one.length())).orElse(argument));
    }
    return separated.toArray(new String[0]);
  }

  /** The arguments of each loaded style, for a command line without {@code -m}. */
  public List<StyleRequest> requests(Map<String, String> environment) {
    return requests(style -> Optional.empty(), false, environment);
  }

  /** The arguments of each loaded style, for a command line with a host and port as {@code -m}. */
  public List<StyleRequest> requestsWithHostPort(Map<String, String> environment) {
    return requests(style -> Optional.empty(), true, environment);
  }

  /** The arguments of each loaded style, for a command line with this word as {@code -m}. */
  public List<StyleRequest> requests(String word, Map<String, String> environment) {
    return requests(
        style -> style.isAddress(word) ? Optional.of(word) : Optional.empty(), false, environment);
  }

  private List<StyleRequest> requests(
      Function<CommandLineStyle, Optional<String>> address,
      boolean hasHostPort,
      Map<String, String> environment) {
    return loaded.orElse(List.of()).stream()
        .map(
            style ->
                new StyleRequest(
                    style,
                    new StyleArguments(
                        address.apply(style),
                        values.getOrDefault(style.name(), Map.of()),
                        hasHostPort,
                        environment)))
        .toList();
  }
}

package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BindPortsTest {

  @Test
  void rangesAndListsAreTriedInTheirOrderEachPortOnce() {
    assertThat(PortRange.parse("50100").ports()).containsExactly(50100);
    assertThat(PortRange.parse("3-5").ports()).containsExactly(3, 4, 5);
    assertThat(PortRange.parse(" 9, 3-5 ,4").ports()).containsExactly(9, 3, 4, 5);
    assertThat(PortRange.parse("50100").single()).hasValue(50100);
    assertThat(PortRange.parse("50100-50101").single()).isEmpty();
    assertThat(PortRange.parse("0").single()).isEmpty();
    assertThat(PortRange.parse("0").isAny()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "http|'http' is not a port from 0 to 65535",
        "70000|'70000' is not a port from 0 to 65535",
        "-1|'-1' is not a port from 0 to 65535",
        "1-|'' is not a port",
        "1,,2|'' is not a port",
        "5-3|the range 5-3 ends before it begins",
        "0-5|0 stands for any free port and must be the only port",
        "0,5|0 stands for any free port and must be the only port",
        "1-2-3|'2-3' is not a port"
      })
  void invalidRangesAreRefusedWhereTheOptionIsRead(String text, String why) {
    for (Option<?> option :
        List.of(
            RestOptions.PORT,
            RestOptions.BIND_PORT,
            JobManagerOptions.PORT,
            JobManagerOptions.BIND_PORT,
            TaskManagerOptions.RPC_PORT,
            TaskManagerOptions.RPC_BIND_PORT,
            TaskManagerOptions.DATA_PORT,
            TaskManagerOptions.DATA_BIND_PORT,
            HighAvailabilityOptions.HA_JOB_MANAGER_PORT,
            HistoryOptions.WEB_PORT)) {
      assertThatThrownBy(
              () -> Configuration.EMPTY.with(option.key(), text).check(DeclaredOptions.all()))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("Option '" + option.key() + "' needs a value of type Ports")
          .hasMessageContaining(why);
    }
  }

  @Test
  void nextPortIsTriedOnlyIfOneIsTaken() {
    BindPorts ports =
        BindPorts.of(Configuration.EMPTY.with(RestOptions.PORT, "7-9"), RestOptions.PORT);
    List<Integer> tried = new ArrayList<>();
    assertThat(
            ports.<Integer>bind(
                "here",
                port -> {
                  tried.add(port);
                  if (port < 9) {
                    throw new IOException("wrapped", new BindException("Address already in use"));
                  }
                  return port;
                }))
        .isEqualTo(9);
    assertThat(tried).containsExactly(7, 8, 9);
    assertThatThrownBy(
            () ->
                ports.bind(
                    "here",
                    port -> {
                      throw new IOException("no descriptors");
                    }))
        .hasMessageStartingWith("Cannot listen on here:7 (rest.port): ")
        .hasMessageContaining("no descriptors");
  }

  @Test
  void exhaustedRangeIsNamedWithItsOption() {
    BindPorts ports =
        BindPorts.of(
            Configuration.EMPTY.with(RestOptions.BIND_PORT, "7-9"),
            RestOptions.BIND_PORT,
            RestOptions.PORT);
    assertThatThrownBy(
            () ->
                ports.bind(
                    "here",
                    port -> {
                      throw new BindException("Address already in use");
                    }))
        .hasMessage(
            "None of the 3 ports 7-9 (rest.bind-port) can be bound at here: Address already in use."
                + " Set rest.bind-port to a larger range, or to 0 for any free port.");
  }

  @Test
  void portForOthersIsTheOneOfTheOtherOptionOrTheBoundOne() {
    Configuration bind = Configuration.EMPTY.with(JobManagerOptions.BIND_PORT, "7-9");
    assertThat(advertised(bind)).isEqualTo(8);
    assertThat(advertised(bind.with(JobManagerOptions.PORT, 0))).isEqualTo(8);
    assertThat(advertised(bind.with(JobManagerOptions.PORT, 99))).isEqualTo(99);
    assertThat(advertised(Configuration.EMPTY.with(JobManagerOptions.PORT, "7-9"))).isEqualTo(8);
  }

  private static int advertised(Configuration configuration) {
    return BindPorts.of(configuration, JobManagerOptions.BIND_PORT, JobManagerOptions.PORT)
        .advertised(8);
  }
}

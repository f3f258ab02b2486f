package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.YarnOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.Test;

class TokenRenewalSettingsTest {
  private static final Configuration OPTIONS =
      Configuration.EMPTY.with(
          YarnOptions.TOKENS_CONF, "dfs[.]nameservices|dfs[.]namenode[.]rpc-address[.].*");

  @Test
  @Behaviour("A8: YARN gets the addresses of nameservices that it does not know, to renew tokens")
  void selectedPropertiesGoToYarnWithTheirVariablesReplaced() throws IOException {
    YarnConfiguration hadoop = hadoop(true);
    ByteBuffer bytes =
        TokenRenewalSettings.of(OPTIONS, new HadoopContext(hadoop, Map.of())).orElseThrow();
    byte[] content = new byte[bytes.remaining()];
    bytes.get(content);
    DataInputBuffer in = new DataInputBuffer();
    in.reset(content, content.length);
    org.apache.hadoop.conf.Configuration read = new org.apache.hadoop.conf.Configuration(false);
    read.readFields(in);
    assertThat(read)
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrder("dfs.nameservices", "dfs.namenode.rpc-address.far.nn1");
    assertThat(read.get("dfs.namenode.rpc-address.far.nn1")).isEqualTo("far1:8020");
  }

  @Test
  void nothingIsSentWithoutTheOptionOrWithoutKerberos() {
    assertThat(TokenRenewalSettings.of(OPTIONS, new HadoopContext(hadoop(false), Map.of())))
        .isEmpty();
    assertThat(
            TokenRenewalSettings.of(Configuration.EMPTY, new HadoopContext(hadoop(true), Map.of())))
        .isEmpty();
  }

  @Test
  void patternThatMatchesNothingIsRefused() {
    assertThatThrownBy(
            () -> TokenRenewalSettings.select(hadoop(true), Pattern.compile("no-such-property")))
        .hasMessageContaining("yarn.tokens-conf.pattern is 'no-such-property', which matches no");
  }

  private static YarnConfiguration hadoop(boolean secure) {
    YarnConfiguration hadoop = new YarnConfiguration();
    hadoop.set("hadoop.security.authentication", secure ? "kerberos" : "simple");
    hadoop.set("dfs.nameservices", "near,far");
    hadoop.set("far.host", "far1");
    hadoop.set("dfs.namenode.rpc-address.far.nn1", "${far.host}:8020");
    return hadoop;
  }
}

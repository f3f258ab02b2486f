package io.millrace.api.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.CharacterCodingException;
import org.junit.jupiter.api.Test;

/** The formats that need no library. */
class FormatsTest {
  @Test
  void textIsReadAsItWasWritten() throws Exception {
    StringFormat format = new StringFormat();
    for (String text : new String[] {"", "mill", "Mühle 𝄞\n"}) {
      assertThat(format.deserialize(format.serialize(text))).isEqualTo(text);
    }
  }

  @Test
  void bytesThatAreNotTextAreRefusedInsteadOfReplaced() {
    assertThatThrownBy(() -> new StringFormat().deserialize(new byte[] {'a', (byte) 0xff}))
        .isInstanceOf(CharacterCodingException.class);
    assertThatThrownBy(() -> new StringFormat().serialize("a\ud800"))
        .isInstanceOf(CharacterCodingException.class);
  }

  @Test
  void bytesPassAsTheyAre() {
    byte[] message = {1, 2, 3};
    assertThat(new BytesFormat().deserialize(message)).isSameAs(message);
    assertThat(new BytesFormat().serialize(message)).isSameAs(message);
  }
}

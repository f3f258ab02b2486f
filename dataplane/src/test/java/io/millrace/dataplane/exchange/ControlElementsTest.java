package io.millrace.dataplane.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataplane.metrics.EventTimeMetrics;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.wire.DataFrameHeader;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every kind of control element is handled wherever control elements are told apart. */
class ControlElementsTest {
  private static final List<ControlElement> ALL =
      List.of(
          new ControlElement.Watermark(5),
          ControlElement.WatermarkStatus.IDLE,
          ControlElement.WatermarkStatus.ACTIVE,
          new ControlElement.CheckpointBarrier(InputChannelsTest.request(7)),
          ControlElement.EndOfInput.INSTANCE);

  @Test
  void everyPermittedSubclassIsTested() {
    assertThat(ALL)
        .extracting(Object::getClass)
        .contains(ControlElement.class.getPermittedSubclasses());
  }

  @Test
  void aFrameCarriesEveryControlElement() {
    for (ControlElement control : ALL) {
      if (control instanceof ControlElement.CheckpointBarrier barrier) {
        ByteArrayOutput payload = new ByteArrayOutput();
        BarrierEncoding.encode(barrier.request(), payload);
        assertThat(BarrierEncoding.decode(new ByteArrayInput(payload.array(), 0, payload.size())))
            .isEqualTo(barrier.request());
      } else {
        assertThat(
                RemoteInput.control(
                    new DataFrameHeader(
                        0, 0, 0, false, RemoteOutput.kind(control), RemoteOutput.value(control))))
            .isEqualTo(control);
      }
    }
  }

  @Test
  void onlyTheEndOfInputEndsAChannel() {
    for (ControlElement control : ALL) {
      InputChannels channels =
          new InputChannels(
              List.of(InputChannelsTest.edge(0, 2)),
              0,
              new EventTimeMetrics(),
              new InputChannelsTest.Alignments());

      channels.control(0, control);
      channels.control(1, control);

      assertThat(channels.allEnded())
          .as("%s", control)
          .isEqualTo(control == ControlElement.EndOfInput.INSTANCE);
    }
  }
}

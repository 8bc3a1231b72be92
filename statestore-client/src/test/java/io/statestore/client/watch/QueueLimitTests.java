package io.statestore.client.watch;

import java.util.List;
import java.util.Map;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.TraceContext;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class QueueLimitTests {

	private static final TraceContext TRACE = TraceContext.of(List.of(Map.entry("b3", "0")), Map.Entry::getKey,
			Map.Entry::getValue);

	private static final KeyChange<Bytes> CHANGE = new KeyChange<>(Key.of("key"), Operation.SET, Bytes.of("value"),
			new Version(1, 0, "StateStore"), false, TRACE);

	@Test
	void countsValueAndTraceContext() {
		assertThat(QueueLimit.sizeOf(CHANGE)).isEqualTo("value".length() + "b3".length() + "0".length());
	}

	@Test
	void changeAfterGapKeepsTraceContext() {
		assertThat(DeliveryQueue.afterGap(CHANGE).traceContext()).isEqualTo(TRACE);
	}

}

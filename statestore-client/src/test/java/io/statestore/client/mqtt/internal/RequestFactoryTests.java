package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.internal.NettyMessages.Outgoing;
import io.statestore.mqtt.Accepted;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.TraceContext;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RequestFactoryTests {

	private static final TraceContext TRACE = TraceContext.of(List.of(Map.entry("baggage", "b".repeat(1_000))),
			Map.Entry::getKey, Map.Entry::getValue);

	private final RequestFactory factory = new RequestFactory(ConnectionOptions.builder().clientId("client").build(),
			new HybridLogicalClock("node", System::currentTimeMillis));

	private Outgoing message(Options options, long maximumPacketSize) {
		return this.factory.message(new byte[100], options, Bytes.of("correlation data"), Duration.ofSeconds(1),
				new Accepted(false, 10, maximumPacketSize, 2, true, true, null, List.of()));
	}

	@Test
	void sendsTraceContextAsUserProperties() {
		Outgoing message = message(Options.DEFAULT.withTraceContext(TRACE), Long.MAX_VALUE);
		assertThat(message.message().userProperty("baggage")).isEqualTo("b".repeat(1_000));
		assertThat(message.message().userProperty("__srcId")).isEqualTo("client");
	}

	@Test
	void omitsTraceContextThatExceedsPacketSize() {
		long sizeWithoutTrace = message(Options.DEFAULT, Long.MAX_VALUE).size();
		Outgoing message = message(Options.DEFAULT.withTraceContext(TRACE), sizeWithoutTrace);
		assertThat(message.message().userProperty("baggage")).isNull();
		assertThat(message.size()).isEqualTo(sizeWithoutTrace);
	}

	@Test
	void refusesRequestThatExceedsPacketSizeInAnyCase() {
		long sizeWithoutTrace = message(Options.DEFAULT, Long.MAX_VALUE).size();
		assertThatExceptionOfType(StateStoreInvalidRequestException.class)
			.isThrownBy(() -> message(Options.DEFAULT.withTraceContext(TRACE), sizeWithoutTrace - 1))
			.withMessageContaining("The request has " + sizeWithoutTrace + " bytes");
	}

}

package io.statestore.testing.broker;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;

import io.statestore.protocol.ErrorReason;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class WireFaultTests {

	static Stream<Arguments> valid() {
		return Stream.of(
				Arguments.of("delay=500ms", MessageKind.REQUEST, new FaultAction.Delay(Duration.ofMillis(500))),
				Arguments.of("request.delay=2s", MessageKind.REQUEST, new FaultAction.Delay(Duration.ofSeconds(2))),
				Arguments.of("reply.delay=1m", MessageKind.REPLY, new FaultAction.Delay(Duration.ofMinutes(1))),
				Arguments.of("reply.drop", MessageKind.REPLY, new FaultAction.Drop()),
				Arguments.of("notification.cut", MessageKind.NOTIFICATION, new FaultAction.Cut()),
				Arguments.of("refuse=QUOTA_EXCEEDED", MessageKind.REQUEST,
						new FaultAction.Refuse(ErrorReason.QUOTA_EXCEEDED)),
				Arguments.of("restart", MessageKind.REQUEST, new FaultAction.Restart(true)),
				Arguments.of("restart=empty", MessageKind.REQUEST, new FaultAction.Restart(false)));
	}

	@ParameterizedTest
	@MethodSource("valid")
	void parsesFault(String text, MessageKind kind, FaultAction action) {
		assertThat(WireFault.parse(text)).isEqualTo(new WireFault(kind, action));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "delay", "delay=", "delay=1w", "delay=-1ms", "delay=9999999999ms", "drop=1",
			"reply.refuse=QUOTA_EXCEEDED", "refuse=UNKNOWN", "refuse=quota", "restart=full", "reply.restart",
			"all.drop", "drop;cut", "cut\r\n" })
	void rejectsInvalidFaultWithAlternatives(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> WireFault.parse(text))
			.withMessageContaining("statestore-test-fault")
			.withMessageContaining("Use delay=500ms, drop")
			.satisfies((ex) -> assertThat(ex.getMessage()).hasLineCount(1));
	}

	/** Texts near valid ones are parsed, or rejected with one line. */
	@RepeatedTest(200)
	void survivesMutatedText(RepetitionInfo repetition) {
		Random random = new Random(repetition.getCurrentRepetition());
		Object[] seeds = valid().toArray();
		byte[] text = ((Arguments) seeds[random.nextInt(seeds.length)]).get()[0].toString()
			.getBytes(StandardCharsets.ISO_8859_1);
		for (int i = random.nextInt(4); i >= 0; i--) {
			text[random.nextInt(text.length)] = (byte) random.nextInt(256);
		}
		try {
			WireFault.parse(new String(text, StandardCharsets.ISO_8859_1));
		}
		catch (IllegalArgumentException ex) {
			assertThat(ex.getMessage()).contains("invalid value").doesNotContain("\r").doesNotContain("\n");
		}
	}

}

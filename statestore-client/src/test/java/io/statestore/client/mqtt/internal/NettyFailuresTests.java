package io.statestore.client.mqtt.internal;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NettyFailuresTests {

	@Test
	void describesRootCauseByMessage() {
		assertThat(NettyFailures.describe("a message could not be sent",
				new RuntimeException(new IllegalStateException("too large"))))
			.isEqualTo("a message could not be sent: too large");
	}

	@Test
	void describesFailureWithoutMessageByClassName() {
		assertThat(NettyFailures.describe("the MQTT client failed", new StackOverflowError()))
			.isEqualTo("the MQTT client failed: StackOverflowError");
	}

}

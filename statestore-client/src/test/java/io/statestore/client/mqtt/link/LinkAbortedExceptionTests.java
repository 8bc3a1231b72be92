package io.statestore.client.mqtt.link;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LinkAbortedExceptionTests {

	@Test
	void describesRootCauseByMessage() {
		assertThat(LinkAbortedException.describe("a message could not be sent",
				new RuntimeException(new IllegalStateException("too large"))))
			.isEqualTo("a message could not be sent: too large");
	}

	@Test
	void describesFailureWithoutMessageByClassName() {
		assertThat(LinkAbortedException.describe("the MQTT client failed", new StackOverflowError()))
			.isEqualTo("the MQTT client failed: StackOverflowError");
	}

}

package io.statestore.broker.gateway;

import java.util.List;

import io.statestore.broker.server.UserProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ClientIdentityTests {

	private static ClientIdentity of(String responseTopic) {
		return ClientIdentity.of(List.of(), responseTopic);
	}

	@Test
	void prefersSourceId() {
		assertThat(ClientIdentity.of(List.of(new UserProperty("x", "y"), new UserProperty("__srcId", "press/1")),
				"clients/70/services/x"))
			.isEqualTo(new ClientIdentity("press/1", true));
	}

	@Test
	void fallsBackToResponseTopic() {
		assertThat(of("clients/press-1/services/statestore/_any_/command/invoke/response"))
			.isEqualTo(new ClientIdentity("press-1", true));
		assertThat(ClientIdentity.of(List.of(new UserProperty("__srcId", "")), "clients/press-1/x"))
			.isEqualTo(new ClientIdentity("press-1", true));
	}

	@ParameterizedTest
	@ValueSource(strings = { "answers/1", "clients/", "clients/x", "clients//x", "client/x/y", "xclients/x/y", "" })
	void unnamedClientIsIdentifiedByResponseTopic(String topic) {
		assertThat(of(topic)).isEqualTo(new ClientIdentity(topic, false));
	}

	@Test
	void isUnnamedWithoutSourceIdAndResponseTopic() {
		assertThat(ClientIdentity.of(List.of(), null)).isEqualTo(new ClientIdentity("", false));
	}

}

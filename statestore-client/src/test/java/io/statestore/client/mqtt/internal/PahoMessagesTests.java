package io.statestore.client.mqtt.internal;

import java.util.List;

import io.statestore.client.mqtt.internal.Link.LinkMessage;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class PahoMessagesTests {

	@ParameterizedTest
	@CsvSource({ "0, false", "1, true", "2, true" })
	void publishesWithQosOneAndRetainedFlag(int qos, boolean retained) {
		LinkMessage message = new LinkMessage("topic", new byte[1], qos, retained, false, null, null, null, null,
				List.of());
		MqttMessage published = PahoMessages.toPaho(message);
		assertThat(published.getQos()).isEqualTo(1);
		assertThat(published.isRetained()).isEqualTo(retained);
	}

}

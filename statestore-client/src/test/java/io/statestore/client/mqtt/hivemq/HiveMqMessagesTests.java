package io.statestore.client.mqtt.hivemq;

import java.util.List;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.statestore.client.mqtt.link.LinkMessage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class HiveMqMessagesTests {

	@ParameterizedTest
	@CsvSource({ "0, false", "1, true", "2, true" })
	void publishesWithQosOneAndRetainedFlag(int qos, boolean retained) {
		LinkMessage message = new LinkMessage("topic", new byte[1], qos, retained, false, null, null, null, null,
				List.of());
		Mqtt5Publish published = new HiveMqMessages().toHiveMq(message);
		assertThat(published.getQos()).isEqualTo(MqttQos.AT_LEAST_ONCE);
		assertThat(published.isRetain()).isEqualTo(retained);
	}

}

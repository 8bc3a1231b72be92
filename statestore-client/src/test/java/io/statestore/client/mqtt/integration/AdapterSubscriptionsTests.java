package io.statestore.client.mqtt.integration;

import java.util.Set;

import org.eclipse.paho.mqttv5.client.IMqttMessageListener;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Subscriptions that are replaced while others end them. */
class AdapterSubscriptionsTests {

	private final IMqttMessageListener listener = (topic, message) -> {
	};

	private final AdapterSubscriptions subscriptions = new AdapterSubscriptions((topic, message) -> {
	});

	private void subscribe() {
		this.subscriptions.add(new MqttSubscription[] { new MqttSubscription("in", 1) },
				new IMqttMessageListener[] { this.listener }, new MqttProperties(), true);
	}

	private void assertReceives() {
		MqttMessage message = new MqttMessage(new byte[0], 1, false, new MqttProperties());
		assertThat(this.subscriptions.listeners("in", message)).containsExactly(this.listener);
	}

	@Test
	void keepsSubscriptionThatIsReplacedBeforeItsRemoval() {
		subscribe();
		Runnable removal = this.subscriptions.removal("in");
		subscribe();
		removal.run();
		assertReceives();
	}

	// An adapter starts while others look for those that have stopped.
	@Test
	void keepsSubscriptionThatIsReplacedBeforeItsSuspension() {
		subscribe();
		this.subscriptions.suspend(() -> {
			subscribe();
			return Set.of("in");
		});
		assertReceives();
		assertThat(this.subscriptions.suspended()).isEmpty();
	}

	@Test
	void suspendsStoppedSubscription() {
		subscribe();
		this.subscriptions.suspend(() -> Set.of("in", "unknown"));
		assertThat(this.subscriptions.suspended()).containsExactly("in");
	}

}

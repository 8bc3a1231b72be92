package io.statestore.boot;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.mqtt.integration.StateStoreClientManager;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.StaticMessageHeaderAccessor;
import org.springframework.integration.acks.SimpleAcknowledgment;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.dsl.Transformers;
import org.springframework.integration.mqtt.inbound.Mqttv5PahoMessageDrivenChannelAdapter;
import org.springframework.messaging.Message;

@Configuration(proxyBeanMethods = false)
@EnableIntegration
class ReadingFlows {

	@Bean
	Mqttv5PahoMessageDrivenChannelAdapter readings(StateStoreClientManager clientManager) {
		return new Mqttv5PahoMessageDrivenChannelAdapter(clientManager, new MqttSubscription("readings/#", 1));
	}

	@Bean
	IntegrationFlow archive(Mqttv5PahoMessageDrivenChannelAdapter readings, StateStoreOperations store) {
		return IntegrationFlow.from(readings).transform(Transformers.objectToString()).handle((message) -> {
			store.set("readings/latest", message.getPayload());
			acknowledge(message);
		}).get();
	}

	private static void acknowledge(Message<?> message) {
		SimpleAcknowledgment acknowledgment = StaticMessageHeaderAccessor.getAcknowledgment(message);
		if (acknowledgment != null) {
			acknowledgment.acknowledge();
		}
	}

}

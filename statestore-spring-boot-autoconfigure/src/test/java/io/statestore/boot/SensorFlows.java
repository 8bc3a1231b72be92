package io.statestore.boot;

import io.statestore.client.mqtt.integration.StateStoreClientManager;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.dsl.Transformers;
import org.springframework.integration.mqtt.inbound.Mqttv5PahoMessageDrivenChannelAdapter;
import org.springframework.integration.mqtt.outbound.Mqttv5PahoMessageHandler;

@Configuration(proxyBeanMethods = false)
@EnableIntegration
class SensorFlows {

	@Bean
	Mqttv5PahoMessageDrivenChannelAdapter sensors(StateStoreClientManager clientManager) {
		Mqttv5PahoMessageDrivenChannelAdapter adapter = new Mqttv5PahoMessageDrivenChannelAdapter(clientManager,
				new MqttSubscription("sensors/+/temperature", 1));
		adapter.setErrorChannelName("errorChannel");
		return adapter;
	}

	@Bean
	Mqttv5PahoMessageHandler alarms(StateStoreClientManager clientManager) {
		Mqttv5PahoMessageHandler handler = new Mqttv5PahoMessageHandler(clientManager);
		handler.setDefaultTopic("alarms");
		handler.setDefaultQos(1);
		return handler;
	}

	@Bean
	IntegrationFlow overheating(Mqttv5PahoMessageDrivenChannelAdapter sensors, Mqttv5PahoMessageHandler alarms) {
		return IntegrationFlow.from(sensors)
			.transform(Transformers.objectToString())
			.filter(String.class, (reading) -> Double.parseDouble(reading) > 80)
			.transform(String.class, (reading) -> "Too hot: " + reading)
			.handle(alarms)
			.get();
	}

}

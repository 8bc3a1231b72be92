package io.statestore.client.mqtt.integration;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

import io.statestore.client.mqtt.ConnectionOptions;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.integration.IntegrationMessageHeaderAccessor;
import org.springframework.integration.acks.SimpleAcknowledgment;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.mqtt.core.ClientManager;
import org.springframework.integration.mqtt.event.MqttSubscribedEvent;
import org.springframework.integration.mqtt.inbound.Mqttv5PahoMessageDrivenChannelAdapter;
import org.springframework.integration.mqtt.outbound.Mqttv5PahoMessageHandler;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.ByteArrayMessageConverter;
import org.springframework.messaging.converter.StringMessageConverter;

import static org.awaitility.Awaitility.await;

/**
 * Adapters of Spring Integration on client managers, all stopped at the end of a test.
 */
final class AdapterWorld implements AutoCloseable {

	private final List<Runnable> closing = new ArrayList<>();

	private final Queue<Object> subscribed = new ConcurrentLinkedQueue<>();

	/** Returns a started client manager. */
	StateStoreClientManager manager(ConnectionOptions.Builder options) {
		return start(new StateStoreClientManager(options.build()));
	}

	/** Returns a started client manager with manual acknowledgment. */
	StateStoreClientManager manualManager(ConnectionOptions.Builder options) {
		StateStoreClientManager manager = new StateStoreClientManager(options.build());
		manager.setManualAcks(true);
		return start(manager);
	}

	private StateStoreClientManager start(StateStoreClientManager manager) {
		manager.start();
		this.closing.add(0, manager::stop);
		return manager;
	}

	/** Returns an inbound adapter that is not started. */
	Mqttv5PahoMessageDrivenChannelAdapter inbound(ClientManager<IMqttAsyncClient, MqttConnectionOptions> manager,
			Consumer<Message<?>> flow, MqttSubscription... subscriptions) {
		DirectChannel channel = new DirectChannel();
		channel.subscribe(flow::accept);
		Mqttv5PahoMessageDrivenChannelAdapter inbound = new Mqttv5PahoMessageDrivenChannelAdapter(manager,
				subscriptions);
		inbound.setPayloadType(byte[].class);
		inbound.setOutputChannel(channel);
		inbound.setMessageConverter(new ByteArrayMessageConverter());
		inbound.setBeanFactory(new DefaultListableBeanFactory());
		inbound.setApplicationEventPublisher((event) -> {
			if (event instanceof MqttSubscribedEvent subscribed) {
				this.subscribed.add(subscribed.getSource());
			}
		});
		inbound.afterPropertiesSet();
		this.closing.add(0, inbound::destroy);
		this.closing.add(0, inbound::stop);
		return inbound;
	}

	/** Starts an inbound adapter and waits for its subscription. */
	Mqttv5PahoMessageDrivenChannelAdapter subscribe(ClientManager<IMqttAsyncClient, MqttConnectionOptions> manager,
			Consumer<Message<?>> flow, MqttSubscription... subscriptions) {
		Mqttv5PahoMessageDrivenChannelAdapter inbound = inbound(manager, flow, subscriptions);
		inbound.start();
		awaitSubscriptions(inbound, 1);
		return inbound;
	}

	/** Waits until an adapter has subscribed so often. */
	void awaitSubscriptions(Mqttv5PahoMessageDrivenChannelAdapter inbound, int count) {
		await("the subscription")
			.until(() -> this.subscribed.stream().filter((source) -> source == inbound).count() >= count);
	}

	/** Returns a started outbound handler. */
	Mqttv5PahoMessageHandler outbound(ClientManager<IMqttAsyncClient, MqttConnectionOptions> manager, String topic,
			int qos) {
		Mqttv5PahoMessageHandler outbound = new Mqttv5PahoMessageHandler(manager);
		outbound.setDefaultTopic(topic);
		outbound.setDefaultQos(qos);
		outbound.setConverter(new StringMessageConverter());
		outbound.setBeanFactory(new DefaultListableBeanFactory());
		outbound.afterPropertiesSet();
		outbound.start();
		this.closing.add(0, outbound::stop);
		return outbound;
	}

	static String text(Message<?> message) {
		return new String((byte[]) message.getPayload(), StandardCharsets.UTF_8);
	}

	static SimpleAcknowledgment acknowledgment(Message<?> message) {
		return Objects.requireNonNull(message.getHeaders()
			.get(IntegrationMessageHeaderAccessor.ACKNOWLEDGMENT_CALLBACK, SimpleAcknowledgment.class));
	}

	@Override
	public void close() {
		this.closing.forEach(Runnable::run);
	}

}

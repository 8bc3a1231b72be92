package io.statestore.broker.mqtt;

import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttProperty;
import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import io.netty.handler.codec.mqtt.MqttProperties.UserProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;

/** Estimates of the heap that decoded packets take. */
final class HeapEstimate {

	/** Heap of a property in addition to its text. */
	private static final int PROPERTY_OVERHEAD = 128;

	private HeapEstimate() {
	}

	/**
	 * Returns the estimated heap of a PUBLISH.
	 * @param publish a decoded packet
	 * @return size in bytes
	 */
	static long of(MqttPublishMessage publish) {
		return publish.payload().readableBytes() + publish.variableHeader().topicName().length()
				+ of(publish.variableHeader().properties());
	}

	private static long of(MqttProperties properties) {
		long size = 0;
		for (MqttProperty<?> property : properties.listAll()) {
			size += PROPERTY_OVERHEAD;
			if (property.value() instanceof String text) {
				size += text.length();
			}
			else if (property.value() instanceof byte[] bytes) {
				size += bytes.length;
			}
			else if (property instanceof UserProperties users) {
				for (StringPair user : users.value()) {
					size += PROPERTY_OVERHEAD + user.key.length() + user.value.length();
				}
			}
		}
		return size;
	}

}

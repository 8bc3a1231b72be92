package io.statestore.client.mqtt;

import java.lang.reflect.Method;
import java.util.List;

import org.eclipse.paho.mqttv5.client.IMqttMessageListener;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of any of the many overloads of {@code publish}, {@code subscribe} and
 * {@code unsubscribe}: no overload has two parameters of the same type that mean
 * different things.
 */
final class SharedArguments {

	private final Class<?>[] types;

	private final @Nullable Object[] values;

	SharedArguments(Method method, @Nullable Object @Nullable [] values) {
		this.types = method.getParameterTypes();
		this.values = (values != null) ? values : new Object[0];
	}

	/** The argument of a parameter declared with exactly this type. */
	<T> @Nullable T first(Class<T> type) {
		for (int i = 0; i < this.types.length; i++) {
			if (this.types[i] == type) {
				@SuppressWarnings("unchecked")
				T value = (T) this.values[i];
				return value;
			}
		}
		return null;
	}

	private <T> T required(Class<T> type) {
		T value = first(type);
		if (value == null) {
			throw new IllegalArgumentException("An argument of type " + type.getSimpleName() + " is missing");
		}
		return value;
	}

	/** What the user wants to see in the token again. */
	@Nullable Object userContext() {
		return first(Object.class);
	}

	String topic() {
		return required(String.class);
	}

	MqttMessage message() {
		MqttMessage message = first(MqttMessage.class);
		if (message == null) {
			message = new MqttMessage(required(byte[].class));
			message.setQos(required(int.class));
			message.setRetained(required(boolean.class));
		}
		if (message.getProperties() == null) {
			message.setProperties(new MqttProperties());
		}
		return message;
	}

	MqttSubscription[] subscriptions() {
		MqttSubscription[] array = first(MqttSubscription[].class);
		if (array != null) {
			return array;
		}
		MqttSubscription single = first(MqttSubscription.class);
		if (single != null) {
			return new MqttSubscription[] { single };
		}
		String[] filters = filters();
		int[] qos = first(int[].class);
		MqttSubscription[] result = new MqttSubscription[filters.length];
		for (int i = 0; i < filters.length; i++) {
			result[i] = new MqttSubscription(filters[i], (qos != null) ? qos[i] : required(int.class));
		}
		return result;
	}

	String[] filters() {
		String[] filters = first(String[].class);
		return (filters != null) ? filters : new String[] { required(String.class) };
	}

	/** The listener of a subscription, counted from 0. */
	@Nullable IMqttMessageListener listener(int index) {
		IMqttMessageListener[] array = first(IMqttMessageListener[].class);
		return (array != null) ? array[index] : first(IMqttMessageListener.class);
	}

	/**
	 * The properties without subscription identifiers, which we do not route by and which
	 * Paho sends although nobody chose them.
	 */
	MqttProperties properties() {
		MqttProperties result = new MqttProperties();
		MqttProperties given = first(MqttProperties.class);
		List<UserProperty> userProperties = (given != null) ? given.getUserProperties() : null;
		if (userProperties != null) {
			result.setUserProperties(userProperties);
		}
		return result;
	}

}

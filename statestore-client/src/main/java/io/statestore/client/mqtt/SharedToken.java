package io.statestore.client.mqtt;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Function;

import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.jspecify.annotations.Nullable;

/**
 * A token of Paho as users of the shared client get it: waiting for it fails where the
 * broker refused, keeps the interrupt flag, and a listener set later does not run on a
 * network thread either.
 */
final class SharedToken implements InvocationHandler {

	private final IMqttToken token;

	private final Function<@Nullable MqttActionListener, MqttActionListener> listenerWrapper;

	private SharedToken(IMqttToken token, Function<@Nullable MqttActionListener, MqttActionListener> listenerWrapper) {
		this.token = token;
		this.listenerWrapper = listenerWrapper;
	}

	static IMqttToken of(IMqttToken token, Function<@Nullable MqttActionListener, MqttActionListener> listenerWrapper) {
		return create(new SharedToken(token, listenerWrapper));
	}

	static IMqttToken create(InvocationHandler handler) {
		return (IMqttToken) Proxy.newProxyInstance(SharedToken.class.getClassLoader(),
				new Class<?>[] { IMqttToken.class }, handler);
	}

	/** Throws what the acknowledgement of the broker says, as Paho should. */
	static @Nullable MqttException refusal(IMqttToken token) {
		int[] codes = token.getReasonCodes();
		int failure = (codes != null) ? ReasonCode.firstFailure(codes) : 0;
		return (failure != 0) ? new MqttException(failure) : null;
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
		if (method.getName().equals("setActionCallback") && arguments != null) {
			this.token.setActionCallback(this.listenerWrapper.apply((MqttActionListener) arguments[0]));
			return null;
		}
		try {
			Object result = method.invoke(this.token, arguments);
			MqttException refusal = method.getName().equals("waitForCompletion") ? refusal(this.token) : null;
			if (refusal != null) {
				throw refusal;
			}
			return result;
		}
		catch (InvocationTargetException ex) {
			if (ex.getCause() instanceof MqttException mqtt && mqtt.getCause() instanceof InterruptedException) {
				Thread.currentThread().interrupt();
			}
			throw ex.getCause();
		}
	}

}

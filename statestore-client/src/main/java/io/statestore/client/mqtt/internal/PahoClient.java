package io.statestore.client.mqtt.internal;

import java.util.concurrent.ScheduledExecutorService;

import org.eclipse.paho.mqttv5.client.MqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttClientPersistence;
import org.eclipse.paho.mqttv5.client.MqttToken;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.packet.MqttAuth;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;

/**
 * Paho's client, with an AUTH packet that brokers accept. Paho's own sets a reserved bit
 * of the fixed header, which makes it malformed (MQTT 5 section 3.15.1), and keeps one
 * packet identifier for each packet.
 */
final class PahoClient extends MqttAsyncClient {

	/** Reason code of a re-authentication (MQTT 5 section 3.15.2.1). */
	private static final int REAUTHENTICATE = 0x19;

	PahoClient(String address, String clientId, MqttClientPersistence persistence, ScheduledExecutorService threads)
			throws MqttException {
		super(address, clientId, persistence, null, threads);
	}

	/** Sends AUTH. The answer arrives at the callback. */
	void reauthenticate(String method, byte[] data) throws MqttException {
		MqttProperties properties = new MqttProperties();
		properties.setAuthenticationMethod(method);
		properties.setAuthenticationData(data);
		this.comms.sendNoWait(new Auth(properties), new MqttToken(getClientId()));
	}

	private static final class Auth extends MqttAuth {

		Auth(MqttProperties properties) throws MqttException {
			super(REAUTHENTICATE, properties);
		}

		@Override
		protected byte getMessageInfo() {
			return 0;
		}

		@Override
		public boolean isMessageIdRequired() {
			return false;
		}

		/** Returns the key of the token, which replaces that of an earlier AUTH. */
		@Override
		public String getKey() {
			return "Auth";
		}

	}

}

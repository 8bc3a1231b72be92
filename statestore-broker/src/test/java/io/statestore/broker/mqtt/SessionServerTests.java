package io.statestore.broker.mqtt;

/** Ordinary messages with sessions of our own. */
class SessionServerTests extends OrdinaryMqttTests {

	@Override
	protected MqttBroker start(MqttBrokerSettings settings) {
		return MqttBroker.start(settings, this.server, this.budget,
				new SessionServer(settings.maxPacketSize(), System::nanoTime, this.server::failed));
	}

}

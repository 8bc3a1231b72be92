package io.statestore.broker.artemis;

import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.util.ReferenceCounted;

/**
 * AUTH packet that marks the end of a batch of packets. Artemis ignores it, but releases
 * it after executing the batch.
 */
final class BatchEnd extends MqttMessage implements ReferenceCounted {

	private final Runnable released;

	/**
	 * Creates an end.
	 * @param released called when Artemis has executed the batch, on any thread
	 */
	BatchEnd(Runnable released) {
		super(new MqttFixedHeader(MqttMessageType.AUTH, false, MqttQoS.AT_MOST_ONCE, false, 0),
				new MqttReasonCodeAndPropertiesVariableHeader((byte) 0, MqttProperties.NO_PROPERTIES));
		this.released = released;
	}

	@Override
	public boolean release() {
		this.released.run();
		return true;
	}

	@Override
	public boolean release(int decrement) {
		return release();
	}

	@Override
	public int refCnt() {
		return 1;
	}

	@Override
	public ReferenceCounted retain() {
		return this;
	}

	@Override
	public ReferenceCounted retain(int increment) {
		return this;
	}

	@Override
	public ReferenceCounted touch() {
		return this;
	}

	@Override
	public ReferenceCounted touch(Object hint) {
		return this;
	}

}

package io.statestore.boot;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;

/**
 * {@link BackgroundPreinitializer} for Netty, whose classes take longer to initialize
 * than the embedded broker itself. Opens no port.
 */
class EmbeddedBrokerBackgroundPreinitializer implements BackgroundPreinitializer {

	private static final int PINGREQ = 0xC000;

	@Override
	public void preinitialize() {
		new NioServerSocketChannel().unsafe().closeForcibly();
		EmbeddedChannel connection = new EmbeddedChannel(new MqttDecoder(), MqttEncoder.INSTANCE);
		connection.writeInbound(connection.alloc().buffer().writeShort(PINGREQ));
		connection.writeOutbound(MqttMessage.PINGRESP);
		connection.finishAndReleaseAll();
	}

}

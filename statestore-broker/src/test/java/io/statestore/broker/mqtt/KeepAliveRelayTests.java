package io.statestore.broker.mqtt;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeepAliveRelayTests {

	private final AtomicLong now = new AtomicLong(-5);

	private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());

	private final ChannelHandlerContext context = this.channel.pipeline().context(ChannelInboundHandlerAdapter.class);

	private final KeepAliveRelay relay = new KeepAliveRelay(this.now::get);

	@Test
	void pingsWhenNothingWasPassedOnForAWhile() {
		advance(KeepAliveRelay.INTERVAL.minusNanos(1));
		this.relay.consumed(this.context);
		assertThat((Object) this.channel.readInbound()).isNull();
		advance(Duration.ofNanos(1));
		this.relay.consumed(this.context);
		this.relay.consumed(this.context);
		MqttMessage ping = this.channel.readInbound();
		assertThat(ping.fixedHeader().messageType()).isEqualTo(MqttMessageType.PINGREQ);
		assertThat((Object) this.channel.readInbound()).isNull();
	}

	@Test
	void doesNotPingWhenSomethingWasPassedOn() {
		advance(KeepAliveRelay.INTERVAL);
		this.relay.passed();
		this.relay.consumed(this.context);
		assertThat((Object) this.channel.readInbound()).isNull();
	}

	@Test
	void keepsOneAnswerForEachOfItsPings() {
		assertThat(this.relay.isOwnAnswer()).isFalse();
		advance(KeepAliveRelay.INTERVAL);
		this.relay.consumed(this.context);
		assertThat(this.relay.isOwnAnswer()).isTrue();
		assertThat(this.relay.isOwnAnswer()).isFalse();
	}

	private void advance(Duration duration) {
		this.now.addAndGet(duration.toNanos());
	}

}

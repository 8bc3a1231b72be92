package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.List;

import io.netty.channel.WriteBufferWaterMark;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.OutgoingMessage;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of the messages in a flow. */
class OutboundFlowMemoryTests extends OutboundFlowTest {

	@Test
	void countsUnreadQos0Replies() {
		this.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
		OutboundFlow flow = flow(10);
		OutgoingMessage message = new OutgoingMessage(Kind.REPLY, "t", new byte[500], null, List.of());
		for (int i = 0; i < 300; i++) {
			flow.publish(new OwnPublish(message, 0, List.of()));
		}
		assertThat(this.channel.isWritable()).isFalse();
		assertThat(this.budget.used(MemoryUse.OUTGOING)).isBetween(50_000L, 100_000L);
		assertThat(this.overflows).isPositive();
		flow.close();
		assertThat(this.budget.used(MemoryUse.OUTGOING)).isZero();
	}

	@Test
	void reportsOverflowWhenClientMemoryIsExhausted() {
		OutboundFlow flow = flow(1);
		flow.publish(own("a"));
		long cost = own("b").size() + OutboundFlow.OVERHEAD;
		for (int i = 0; i < 100_000 / cost; i++) {
			flow.publish(own("b"));
		}
		assertThat(this.overflows).isZero();
		assertThat(this.budget.used(MemoryUse.OUTGOING)).isEqualTo(100_000 / cost * cost);
		flow.publish(own("b"));
		assertThat(this.overflows).isEqualTo(1);
	}

	@Test
	void reportsOverflowWhenBudgetIsExhausted() {
		List<OutboundFlow> flows = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			OutboundFlow flow = flow(0, Long.MAX_VALUE);
			flows.add(flow);
			flow.publish(own("x".repeat(99_000)));
		}
		assertThat(this.overflows).isEqualTo(1);
		assertThat(this.budget.used()).isLessThanOrEqualTo(750_000);
		flows.get(0).close();
		flows.get(7).publish(own("x".repeat(99_000)));
		assertThat(this.overflows).isEqualTo(1);
	}

	@Test
	void releasesMemoryOfSentMessages() {
		OutboundFlow flow = flow(1);
		flow.publish(own("a"));
		flow.publish(own("b"));
		pass(flow, "x");
		assertThat(this.budget.used()).isPositive();
		flow.completed(32_769);
		flow.completed(32_770);
		assertThat(written()).containsExactly("a@32769", "b@32770", "x@32771");
		assertThat(this.budget.used()).isZero();
	}

	@Test
	void releasesWaitingMessagesOnClose() {
		OutboundFlow flow = flow(1);
		flow.publish(own("a"));
		pass(flow, "x");
		flow.close();
		assertThat(this.budget.used()).isZero();
		flow.completed(32_769);
		assertThat(written()).containsExactly("a@32769");
	}

}

package io.statestore.broker.artemis.session;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTUtil;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.impl.ActiveMQServerImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Removal of retained messages, with a manual clock. */
class TopicLedgerTests {

	private static final SimpleString QUEUE = SimpleString.of(MQTTUtil.MQTT_RETAIN_ADDRESS_PREFIX + "r");

	private final AtomicLong clock = new AtomicLong();

	private final MemoryBudget budget = MemoryBudget.unlimited();

	private ActiveMQServer server;

	private TopicLedger ledger;

	@BeforeEach
	void start() throws Exception {
		this.server = new ActiveMQServerImpl(new ConfigurationImpl().setPersistenceEnabled(false)
			.setSecurityEnabled(false)
			.setJMXManagementEnabled(false));
		this.ledger = new TopicLedger(this.server, this.budget, this.clock::get);
		this.server.registerBrokerPlugin(this.ledger);
		this.server.start();
	}

	@AfterEach
	void stop() throws Exception {
		this.server.stop();
	}

	@Test
	void keepsQueueWhoseMessageIsNotStoredYet() throws Exception {
		assertThat(this.ledger.tryRetain(this.budget.open(), "r", 10)).isTrue();
		this.server.createQueue(QueueConfiguration.of(QUEUE).setAutoCreated(true));
		sweepAfter(3);
		sweepAfter(3);
		assertThat(this.server.locateQueue(QUEUE)).isNotNull();
		assertThat(this.budget.used(MemoryUse.RETAINED)).isPositive();
		sweepAfter(60);
		assertThat(this.server.locateQueue(QUEUE)).isNull();
		assertThat(this.budget.used(MemoryUse.RETAINED)).isZero();
	}

	@Test
	void removesClearedQueueThatIsEmptyInTwoSweeps() throws Exception {
		assertThat(this.ledger.tryRetain(this.budget.open(), "r", 10)).isTrue();
		this.server.createQueue(QueueConfiguration.of(QUEUE).setAutoCreated(true));
		assertThat(this.ledger.tryRetain(this.budget.open(), "r", 0)).isTrue();
		sweepAfter(3);
		assertThat(this.server.locateQueue(QUEUE)).isNotNull();
		sweepAfter(0);
		assertThat(this.server.locateQueue(QUEUE)).isNull();
		assertThat(this.budget.used(MemoryUse.RETAINED)).isZero();
	}

	private void sweepAfter(int seconds) {
		this.clock.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
		this.ledger.sweep(Set.of());
	}

}

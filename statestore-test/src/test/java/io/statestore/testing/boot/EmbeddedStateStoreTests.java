package io.statestore.testing.boot;

import io.statestore.boot.StateStoreConnectionDetails;
import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.testing.assertj.ChangeRecorder;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(classes = EmbeddedStateStoreTests.Application.class,
		properties = { "statestore.host=unreachable.invalid", "statestore.embedded.enabled=true",
				"statestore.leader.enabled=true", "statestore.leader.role=cell" })
@EmbeddedStateStore
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EmbeddedStateStoreTests {

	@Autowired
	private StateStoreOperations store;

	@Autowired
	private StateStoreFaults faults;

	@Autowired
	private TestBroker broker;

	@Autowired
	private StateStoreLeaderInitiator election;

	@Autowired
	private Application application;

	@Test
	@Order(1)
	void connectsApplicationToBroker(@Autowired StateStoreConnectionDetails details) {
		assertThat(details.getPort()).isEqualTo(this.broker.port());
		this.store.set("press", "180");
		assertThat(this.store).hasKey("press").hasValue("180");
	}

	@Test
	@Order(2)
	void startsWithApplicationContentOnly() {
		assertThat(this.store).doesNotHaveKey("press");
		assertThat(this.store).hasKey("settings").hasValue("default");
		this.store.set("settings", "changed");
		this.faults.requests().drop();
	}

	@Test
	@Order(3)
	void restoresApplicationContentAndEndsFaults() {
		assertThat(this.store).hasKey("settings").hasValue("default");
	}

	@Test
	@Order(4)
	void leaderKeepsLeadingBetweenTests() {
		Awaitility.await().untilAsserted(() -> assertThat(this.election).isLeader());
		var context = this.election.context();
		this.broker.reset();
		this.store.set("press", "180");
		assertThat(this.election.context()).isEqualTo(context);
	}

	@Test
	void applicationListenerReceivesChanges() {
		this.application.changes.clear();
		this.store.set("setpoint", "190");
		assertThat(this.application.changes).receives("190");
	}

	@Nested
	class NestedTests {

		@Autowired
		private TestBroker nestedBroker;

		@Test
		void sharesBroker() {
			assertThat(this.nestedBroker).isSameAs(EmbeddedStateStoreTests.this.broker);
		}

		@Test
		void startsWithApplicationContentOnly() {
			assertThat(EmbeddedStateStoreTests.this.store).doesNotHaveKey("press");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		private final ChangeRecorder<String> changes = new ChangeRecorder<>();

		@Bean
		static ApplicationRunner settings(StateStoreOperations store) {
			return (arguments) -> store.set("settings", "default", (spec) -> spec.ifAbsent());
		}

		@StateStoreListener(keys = "setpoint")
		void changed(KeyChange<String> change) {
			this.changes.onChange(change);
		}

	}

}

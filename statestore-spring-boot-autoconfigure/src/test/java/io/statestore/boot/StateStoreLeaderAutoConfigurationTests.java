package io.statestore.boot;

import java.time.Duration;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.leader.LeaderOnly;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;

class StateStoreLeaderAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.start-timeout=0s", "statestore.port=1")
		.withConfiguration(
				AutoConfigurations.of(EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class,
						StateStoreLockAutoConfiguration.class, StateStoreLeaderAutoConfiguration.class));

	@Test
	void providesLockWithoutElectionByDefault() {
		this.contextRunner.withPropertyValues("spring.application.name=oven", "statestore.embedded.enabled=true")
			.run((context) -> {
				assertThat(context).hasNotFailed()
					.doesNotHaveBean(Candidate.class)
					.doesNotHaveBean(StateStoreLeaderInitiator.class);
				DistributedLock lock = context.getBean(DistributedLock.class);
				assertThat(lock).isSameAs(context.getBean("distributedLock"))
					.isInstanceOfSatisfying(FencedLock.class,
							(fenced) -> assertThat(fenced.key()).hasToString("locks/oven"));
				lock.lock();
				assertThat(context.getBean(FencedLock.class).isValid()).isTrue();
				lock.unlock();
			});
	}

	@Test
	void prefersApplicationDistributedLock() {
		DistributedLock own = mock();
		this.contextRunner.withPropertyValues("spring.application.name=oven")
			.withBean("own", DistributedLock.class, () -> own)
			.run((context) -> assertThat(context.getBeanProvider(DistributedLock.class).getObject()).isSameAs(own));
	}

	@Test
	void electionWorksWithOtherDistributedLock() {
		DistributedLock own = mock();
		this.contextRunner
			.withPropertyValues("spring.application.name=oven", "statestore.embedded.enabled=true",
					"statestore.leader.enabled=true", "statestore.leader.lease=10m")
			.withBean("distributedLock", DistributedLock.class, () -> own)
			.run((context) -> {
				assertThat(context).hasNotFailed().hasSingleBean(DistributedLock.class);
				StateStoreLeaderInitiator election = context.getBean(StateStoreLeaderInitiator.class);
				await().until(election::isLeader);
				verifyNoInteractions(own);
			});
	}

	@Test
	void lockFailsOnFirstUseWithoutApplicationName() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatThrownBy(() -> context.getBean(DistributedLock.class)).rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContainingAll("statestore.leader.role", "spring.application.name");
		});
	}

	@Test
	void providesOnlyLockIfOnlyRoleIsSet() {
		this.contextRunner.withPropertyValues("statestore.leader.role=oven-leader")
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(DistributedLock.class)
				.hasBean("distributedLock")
				.doesNotHaveBean(Candidate.class)
				.doesNotHaveBean(StateStoreLeaderInitiator.class));
	}

	@Test
	void providesLockCandidateAndElectionIfEnabled() {
		this.contextRunner.withPropertyValues("statestore.leader.enabled=true", "spring.application.name=oven")
			.run((context) -> {
				assertThat(context).hasNotFailed().hasSingleBean(DistributedLock.class);
				assertThat(context.getBean(FencedLock.class).key()).hasToString("locks/oven");
				assertThat(context.getBean(Candidate.class).getRole()).isEqualTo("oven");
				assertThat(context.getBean(StateStoreLeaderInitiator.class).role()).isEqualTo("oven");
				assertThat(context.getBean(StateStoreLeaderInitiator.class).isRunning()).isTrue();
			});
	}

	@Test
	void applicationNameRemainsFreeForData() {
		this.contextRunner.withPropertyValues("spring.application.name=oven", "statestore.embedded.enabled=true")
			.run((context) -> {
				StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
				template.set("oven", "180");
				FencedLock lock = context.getBean(FencedLock.class);
				assertThat(lock.tryLock()).isTrue();
				lock.operations().set("oven", "190");
				lock.unlock();
				assertThat(template.getValue("oven", String.class)).contains("190");
			});
	}

	@Test
	void lockPrefixReplacesApplicationNamePrefix() {
		this.contextRunner.withPropertyValues("spring.application.name=oven", "statestore.lock.key-prefix=mutex/")
			.run((context) -> assertThat(context.getBean(FencedLock.class).key()).hasToString("mutex/oven"));
	}

	@Test
	void roleIsLockKey() {
		this.contextRunner.withPropertyValues("spring.application.name=oven", "statestore.leader.role=oven")
			.run((context) -> assertThat(context.getBean(FencedLock.class).key()).hasToString("oven"));
	}

	@Test
	void prefersRoleToApplicationName() {
		this.contextRunner
			.withPropertyValues("statestore.leader.enabled=true", "statestore.leader.role=baker",
					"statestore.lock.key-prefix=locks/", "spring.application.name=oven")
			.run((context) -> {
				assertThat(context.getBean(FencedLock.class).key()).hasToString("locks/baker");
				assertThat(context.getBean(StateStoreLeaderInitiator.class).role()).isEqualTo("baker");
			});
	}

	@Test
	void usesLeaderLease() {
		this.contextRunner
			.withPropertyValues("statestore.embedded.enabled=true", "statestore.start-timeout=10s",
					"statestore.leader.role=baker", "statestore.leader.lease=1h")
			.run((context) -> {
				FencedLock lock = context.getBean(FencedLock.class);
				lock.lock();
				assertThat(lock.remaining()).isGreaterThan(Duration.ofMinutes(50));
				lock.unlock();
				StateStoreLockRegistry registry = context.getBean(StateStoreLockRegistry.class);
				assertThat(lock).isSameAs(registry.obtain("baker", Duration.ofHours(1)))
					.isNotSameAs(registry.obtain("baker"));
			});
	}

	@Test
	void leadsAgainAfterStopAndStart() {
		this.contextRunner
			.withPropertyValues("statestore.embedded.enabled=true", "statestore.leader.enabled=true",
					"statestore.leader.role=baker", "statestore.leader.lease=10m")
			.run((context) -> {
				StateStoreLeaderInitiator election = context.getBean(StateStoreLeaderInitiator.class);
				await().until(election::isLeader);
				context.stop();
				assertThat(election.isLeader()).isFalse();
				context.start();
				await().until(election::isLeader);
			});
	}

	@Test
	void prefersApplicationBeans() {
		this.contextRunner.withPropertyValues("statestore.leader.enabled=true", "statestore.leader.role=baker")
			.withBean("candidate", Candidate.class, () -> new DefaultCandidate("id", "baker"))
			.run((context) -> assertThat(context).hasSingleBean(Candidate.class)
				.hasBean("candidate")
				.hasSingleBean(StateStoreLeaderInitiator.class));
	}

	@Test
	void namesPropertyIfRolesDiffer() {
		assertRefused(
				this.contextRunner.withPropertyValues("statestore.leader.enabled=true", "statestore.leader.role=baker")
					.withBean("candidate", Candidate.class, DefaultCandidate::new),
				"statestore.leader.role", "'leader'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "statestore.leader.enabled=true", "statestore.leader.role=" })
	void namesPropertyIfRoleIsMissing(String property) {
		assertRefused(this.contextRunner.withPropertyValues(property), "statestore.leader.role",
				"spring.application.name");
	}

	@Test
	void namesPropertyWhenLeaseIsInvalid() {
		assertRefused(this.contextRunner.withPropertyValues("statestore.leader.role=a", "statestore.leader.lease=1ms"),
				"statestore.leader.lease", "100 ms");
	}

	@Test
	void annotatedMethodRequiresElection() {
		this.contextRunner.withBean(Oven.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContainingAll("Oven.bake()", "statestore.leader.enabled"));
	}

	private static void assertRefused(ApplicationContextRunner runner, String property, String reason) {
		runner.run((AssertableApplicationContext context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
				assertThat(failure.getName()).isEqualTo(property);
				assertThat(failure.getReason()).contains(reason);
			}));
	}

	static class Oven {

		@LeaderOnly
		void bake() {
		}

	}

}

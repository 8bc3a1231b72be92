package com.example.leader;

import java.time.Duration;

import com.example.Instances;
import com.example.RecipeTest;
import com.example.RecipesApplication;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.leader.LeaderContext;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The recipe "Scheduled work on one instance" in {@code docs/recipes.md}. */
@RecipeTest
class PlannerTests {

	@Autowired
	private Planner planner;

	@Autowired
	private StateStoreOperations store;

	@Autowired
	private StateStoreLeaderInitiator election;

	@Autowired
	private StateStoreFaults faults;

	@Autowired
	private TestBroker broker;

	@Autowired
	private TestTime time;

	@Test
	void anotherInstanceContinuesAfterCrash() {
		int last = awaitPlan(this.store, "first", 1).number();
		LeaderContext term = this.election.context().orElseThrow();
		try (ConfigurableApplicationContext context = second()) {
			StateStoreOperations second = context.getBean(StateStoreOperations.class);
			this.faults.requests().ofClient("first").drop();
			this.time.advance(Duration.ofSeconds(31));
			last = plan(context.getBean(Planner.class), second, "second", last + 1).number();
			assertThat(term.isLeader()).isFalse();
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> second.fencedBy(term.token()).set("plans/oven", new Plan(0, "stale")));
			last = plan(context.getBean(Planner.class), second, "second", last + 1).number();
			this.faults.clear();
		}
		Awaitility.await().until(() -> {
			this.time.advance(Duration.ofMillis(100));
			return this.election.isLeader();
		});
		plan(this.planner, this.store, "first", last + 1);
	}

	private ConfigurableApplicationContext second() {
		return Instances.start(RecipesApplication.class, "second", this.broker.port(), this.time, RecipeTest.PROPERTIES,
				"planner.name=second");
	}

	/** Plans now instead of after the delay. */
	private static Plan plan(Planner planner, StateStoreOperations store, String author, int minimum) {
		planner.plan();
		return awaitPlan(store, author, minimum);
	}

	private static Plan awaitPlan(StateStoreOperations store, String author, int minimum) {
		return Awaitility.await()
			.until(() -> store.getValue("plans/oven", Plan.class).orElse(new Plan(0, "none")),
					(plan) -> plan.author().equals(author) && plan.number() >= minimum);
	}

}

package com.example.leader;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.statestore.client.leader.LeaderContext;
import io.statestore.client.leader.LeaderOnly;
import io.statestore.client.leader.StateStoreLeaderInitiator;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
@EnableScheduling
class Planner {

	private final StateStoreLeaderInitiator election;

	private final String name;

	Planner(StateStoreLeaderInitiator election, @Value("${planner.name}") String name) {
		this.election = election;
		this.name = name;
	}

	@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.SECONDS)
	@LeaderOnly
	void plan() {
		this.election.context().ifPresent(this::plan);
	}

	/** Continues with the latest plan, whichever leader has written it. */
	void plan(LeaderContext term) {
		term.heldLock().update("plans/oven", Plan.class, (latest) -> Optional.of(next(latest)));
	}

	private Plan next(Optional<Plan> latest) {
		return new Plan(latest.map(Plan::number).orElse(0) + 1, this.name);
	}

}

package io.statestore.client;

import java.util.concurrent.TimeUnit;

import io.statestore.client.leader.LeaderOnly;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class Planner {

	private final StateStoreLockRegistry locks;

	Planner(StateStoreLockRegistry locks) {
		this.locks = locks;
	}

	@Scheduled(fixedDelay = 10, timeUnit = TimeUnit.SECONDS)
	@LeaderOnly
	void plan() {
		this.locks.currentLock().operations().set("ovens/plan", "bread");
	}

}

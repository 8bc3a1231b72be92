package com.example.queue;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
@EnableScheduling
class Worker {

	private static final Logger logger = LoggerFactory.getLogger(Worker.class);

	private final StateStoreOperations store;

	private final StateStoreLockRegistry locks;

	private final Job job;

	Worker(StateStoreOperations store, StateStoreLockRegistry locks, Job job) {
		this.store = store;
		this.locks = locks;
		this.job = job;
	}

	/** Works on all free items, after each submission and every 10 s. */
	@StateStoreListener(keys = "queue/latest")
	@Scheduled(fixedDelay = 10, timeUnit = TimeUnit.SECONDS)
	void work() {
		for (Key item : this.store.scan(WorkQueue.ITEMS + "*")) {
			String id = item.toString().substring(WorkQueue.ITEMS.length());
			try {
				workOn(id);
			}
			catch (RuntimeException ex) {
				logger.warn("Item {} stays in the queue", id, ex);
			}
		}
	}

	private void workOn(String id) {
		FencedLock lock = this.locks.obtain("queue/locks/" + id);
		if (!lock.tryLock()) {
			return;
		}
		try {
			StateStoreOperations fenced = lock.heldLock().operations();
			Optional<String> task = fenced.getValue(WorkQueue.ITEMS + id, String.class);
			if (task.isPresent()) {
				if (!fenced.exists(WorkQueue.RESULTS + id)) {
					fenced.set(WorkQueue.RESULTS + id, this.job.perform(task.get()));
				}
				fenced.delete(WorkQueue.ITEMS + id);
			}
		}
		finally {
			lock.unlock();
		}
	}

}

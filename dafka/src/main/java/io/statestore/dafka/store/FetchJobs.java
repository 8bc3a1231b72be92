package io.statestore.dafka.store;

import java.util.LinkedHashMap;
import java.util.Map;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.store.storage.StoredPartition;
import org.jspecify.annotations.Nullable;

/**
 * Who still has to get which records. A node has one job for each partition; what it asks
 * for next extends the job, what it asks for again starts it over.
 */
final class FetchJobs {

	private static final int MAX_JOBS = 10_000;

	private final Map<Key, Job> jobs = new LinkedHashMap<>();

	boolean isEmpty() {
		return this.jobs.isEmpty();
	}

	void add(Bytes recipient, StoredPartition partition, long first, long end) {
		Key key = new Key(recipient, partition);
		Job job = this.jobs.get(key);
		if (job == null && this.jobs.size() < MAX_JOBS) {
			this.jobs.put(key, new Job(recipient, partition, first, end));
		}
		else if (job != null && first >= job.next && first <= job.end) {
			job.end = Math.max(job.end, end);
		}
		else if (job != null) {
			job.next = first;
			job.end = end;
		}
	}

	/** The next job; it goes to the end of the line. */
	@Nullable Job poll() {
		for (Map.Entry<Key, Job> entry : this.jobs.entrySet()) {
			this.jobs.remove(entry.getKey());
			return entry.getValue();
		}
		return null;
	}

	void back(Job job) {
		this.jobs.put(new Key(job.recipient, job.partition), job);
	}

	private record Key(Bytes recipient, StoredPartition partition) {
	}

	/** From {@code next} (inclusive) to {@code end} (exclusive). */
	static final class Job {

		final Bytes recipient;

		final StoredPartition partition;

		long next;

		long end;

		Job(Bytes recipient, StoredPartition partition, long next, long end) {
			this.recipient = recipient;
			this.partition = partition;
			this.next = next;
			this.end = end;
		}

	}

}

package io.statestore.client.lock;

import io.statestore.client.Key;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.util.CheckedCallable;

/** Tenures of the sections that each thread runs. */
final class CurrentTenure {

	/** The innermost section of each thread. */
	private final ThreadLocal<@Nullable Section> sections = new ThreadLocal<>();

	/** Runs a section of a tenure. */
	<T, E extends Throwable> T call(Tenure tenure, CheckedCallable<T, E> section) throws E {
		Section outer = this.sections.get();
		this.sections.set(new Section(tenure, outer));
		try {
			return section.call();
		}
		finally {
			if (outer != null) {
				this.sections.set(outer);
			}
			else {
				this.sections.remove();
			}
		}
	}

	/**
	 * Returns the tenure of the innermost section of this thread.
	 * @throws IllegalStateException if this thread runs no section
	 */
	Tenure get() {
		Section section = this.sections.get();
		if (section == null) {
			throw new IllegalStateException("This thread runs no section under a lock of this registry. "
					+ "Call currentTenure() within execute or a @Locked method, on the thread that runs it");
		}
		return section.tenure();
	}

	/**
	 * Requires that this thread runs no section that holds the lock of a key, because the
	 * section would wait for itself.
	 * @throws IllegalStateException if this thread runs such a section
	 */
	void requireNone(Key key) {
		for (Section section = this.sections.get(); section != null; section = section.outer()) {
			if (section.tenure().key().equals(key) && section.tenure().isValid()) {
				throw new IllegalStateException("Lock '" + key
						+ "' is already held by an asynchronous section that this thread runs, which cannot wait for "
						+ "itself. Use the tenure of that section, or acquire the lock after its future has completed");
			}
		}
	}

	private record Section(Tenure tenure, @Nullable Section outer) {
	}

}

package io.statestore.client.lock;

import org.jspecify.annotations.Nullable;
import org.springframework.integration.util.CheckedCallable;

/** Tenure of the innermost section that each thread runs. */
final class CurrentTenure {

	private final ThreadLocal<@Nullable Tenure> tenures = new ThreadLocal<>();

	/** Runs a section of a tenure. */
	<T, E extends Throwable> T call(Tenure tenure, CheckedCallable<T, E> section) throws E {
		Tenure outer = this.tenures.get();
		this.tenures.set(tenure);
		try {
			return section.call();
		}
		finally {
			if (outer != null) {
				this.tenures.set(outer);
			}
			else {
				this.tenures.remove();
			}
		}
	}

	/**
	 * Returns the tenure of the innermost section of this thread.
	 * @throws IllegalStateException if this thread runs no section
	 */
	Tenure get() {
		Tenure tenure = this.tenures.get();
		if (tenure == null) {
			throw new IllegalStateException("This thread runs no section under a lock of this registry. "
					+ "Call currentTenure() within execute or a @Locked method, on the thread that runs it");
		}
		return tenure;
	}

}

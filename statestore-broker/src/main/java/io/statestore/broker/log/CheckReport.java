package io.statestore.broker.log;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * Result of {@link StoreDirectory#check}.
 *
 * @param directory the directory checked
 * @param lastIndex index of the last intact entry, 0 if there is none or the store is
 * damaged
 * @param problem damage that prevents a start, {@code null} if there is none. The message
 * names the file and explains how to fix the problem
 */
public record CheckReport(Path directory, long lastIndex, @Nullable String problem) {

	/**
	 * Returns whether the store can start.
	 * @return {@code true} if no problem was found
	 */
	public boolean isIntact() {
		return this.problem == null;
	}

}

package io.statestore.broker.artemis.disk;

import java.util.concurrent.Executor;

import org.apache.activemq.artemis.core.persistence.impl.journal.OperationContextImpl;
import org.jspecify.annotations.Nullable;

/**
 * Operation context that reports the failure of a write. Artemis sends no further packets
 * of the context, so that the client would wait for them forever.
 * <p>
 * Internal: not part of the API.
 */
public final class JournalContext extends OperationContextImpl {

	private volatile @Nullable Runnable failed;

	JournalContext(Executor executor) {
		super(executor);
	}

	/**
	 * Sets the action to run after a failed write.
	 * @param action replaces the previous one; called on any thread
	 */
	public void onFailure(Runnable action) {
		this.failed = action;
	}

	@Override
	public void onError(int errorCode, String errorMessage) {
		super.onError(errorCode, errorMessage);
		Runnable action = this.failed;
		if (action != null) {
			action.run();
		}
	}

}

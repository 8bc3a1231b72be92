package io.statestore.broker.crash;

/** Holds clients back while the broker is restarted. */
final class Gate {

	private boolean open;

	synchronized void open() {
		this.open = true;
		notifyAll();
	}

	synchronized void close() {
		this.open = false;
	}

	synchronized void await() throws InterruptedException {
		while (!this.open) {
			wait();
		}
	}

}

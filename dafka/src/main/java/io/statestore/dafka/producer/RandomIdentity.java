package io.statestore.dafka.producer;

/** Nothing to keep. */
record RandomIdentity(String address) implements Identity {

	@Override
	public Counter counter(String topic) {
		return new Counter() {

			private long next;

			private long acknowledged;

			@Override
			public long next() {
				return this.next;
			}

			@Override
			public long acknowledged() {
				return this.acknowledged;
			}

			@Override
			public void setNext(long next) {
				this.next = next;
			}

			@Override
			public void setAcknowledged(long acknowledged) {
				this.acknowledged = acknowledged;
			}

		};
	}

	@Override
	public void close() {
	}

}

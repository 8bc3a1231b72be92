package io.statestore.benchmarks;

/** What a caller does, again and again, with keys of its own. */
enum Operation {

	GET("GET"), SET("SET"), ACQUIRE("SET with expiry (ours if absent or equal)");

	private final String text;

	Operation(String text) {
		this.text = text;
	}

	@Override
	public String toString() {
		return this.text;
	}

}

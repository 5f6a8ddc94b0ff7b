# The image of a sidecar: the slim static binary, its configuration, and the certificates
# of the machine that built it. `make image-slim` prepares build/image-slim and builds it.
# It stands in the pod of its application: OTLP is taken on loopback, which containers of
# a pod share, and only health and metrics are asked for from elsewhere. It has no health
# check of its own, since nothing in it could ask: probe GET / on port 13135.
ARG BASE=scratch
FROM ${BASE}

COPY root/ /
# Its owner is who runs, so that a volume made of it is writable.
COPY --chown=65532:65532 data/ /data/

ENV TOUCHSTONE_DATA_DIR=/data \
    TOUCHSTONE_HEALTH=0.0.0.0:13135 \
    TOUCHSTONE_METRICS_HOST=0.0.0.0 \
    TOUCHSTONE_METRICS_PORT=8890

USER 65532:65532
VOLUME ["/data"]
EXPOSE 4317 4318 8890 13135
ENTRYPOINT ["/touchstone"]
CMD ["--config=/etc/touchstone/sidecar.yaml"]

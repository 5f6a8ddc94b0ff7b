module go.opentelemetry.io/contrib/detectors/aws/eks

go 1.26.0
